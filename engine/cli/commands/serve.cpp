#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include <CLI/CLI.hpp>
#include <httplib.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/progress.h"
#include "cli/reload.h"
#include "cli/site_build.h"
#include "cli/watch.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

constexpr const char* kHost = "127.0.0.1";
constexpr int kDefaultPort = 8000;

void set_types(httplib::Server& server) {
  const std::pair<const char*, const char*> types[] = {
      {"html", "text/html; charset=utf-8"},
      {"js", "text/javascript; charset=utf-8"},
      {"css", "text/css; charset=utf-8"},
      {"json", "application/json"},
      {"svg", "image/svg+xml"},
      {"woff2", "font/woff2"},
      {"wasm", "application/wasm"},
      {"txt", "text/plain; charset=utf-8"},
      {"webp", "image/webp"},
      {"avif", "image/avif"},
  };
  for (const auto& [extension, type] : types) server.set_file_extension_and_mimetype_mapping(extension, type);
}

bool is_within(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

/// The library compresses every answer with Brotli at its strongest, which takes seconds for a page or for
/// plots.js and gains nothing over loopback. Only the request's Accept-Encoding switches it off.
void disable_compression(const httplib::Request& request) {
  const_cast<httplib::Headers&>(request.headers).erase("Accept-Encoding");
}

/// Serves files of the site only, wherever its links lead. Redirects a folder to its name with a slash, on
/// which the relative links of its page rely.
void serve_only(httplib::Server& server, const fs::path& site) {
  using Handled = httplib::Server::HandlerResponse;
  server.set_pre_routing_handler([site](const httplib::Request& request, httplib::Response& response) {
    disable_compression(request);
    std::error_code error;
    const bool folder = request.path.ends_with('/');
    const fs::path file = fs::canonical(site.string() + request.path + (folder ? "index.html" : ""), error);
    if (error) return Handled::Unhandled;
    if (!is_within(file, site)) {
      response.status = 404;
      return Handled::Handled;
    }
    if (folder || !fs::is_directory(file, error)) return Handled::Unhandled;
    const std::string path = request.target.substr(0, request.target.find('?'));
    const std::string query = request.target.substr(path.size());
    response.set_redirect(path.substr(path.rfind('/') + 1) + "/" + query);
    return Handled::Handled;
  });
  server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (response.status != 404) return;
    response.set_content(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Not found</title>\n"
        "<p>There is no such page here. <a href=\"/\">All lectures</a></p></html>\n",
        "text/html; charset=utf-8");
  });
}

/// Returns the port. (With the library's own options, two servers could share one.)
int bind(httplib::Server& server, int port) {
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  errno = 0;
  const int bound = port == 0 ? server.bind_to_any_port(kHost) : server.bind_to_port(kHost, port) ? port : -1;
  if (bound > 0) return bound;
  const int reason = errno == 0 ? EADDRINUSE : errno;
  throw Error("port " + std::to_string(port) + " cannot be bound: " + std::strerror(reason) +
              "; choose another with --port, or 0 for any that is free");
}

void announce_rebuilds(httplib::Server& server, Rebuilds& rebuilds) {
  server.Get(kReloadPath, [](const httplib::Request&, httplib::Response& response) {
    response.set_content(reload_script(), "text/javascript; charset=utf-8");
  });
  server.Get(kEventsPath, [&](const httplib::Request&, httplib::Response& response) {
    auto seen = std::make_shared<int>(rebuilds.count());
    response.set_chunked_content_provider(
        "text/event-stream", [&rebuilds, seen](std::size_t, httplib::DataSink& sink) {
          const int count = rebuilds.wait_after(*seen);
          const std::string event = count > *seen ? "event: rebuilt\ndata:\n\n" : ": waiting\n\n";
          *seen = count;
          return !rebuilds.stopped() && sink.write(event.data(), event.size());
        });
  });
  server.set_file_request_handler([](const httplib::Request&, httplib::Response& response) {
    if (response.get_header_value("Content-Type").starts_with("text/html")) {
      response.body = add_reload_script(std::move(response.body));
    }
  });
}

void rebuild_on_changes(const Workspace& workspace, Watch& watch, Rebuilds& rebuilds) {
  while (!rebuilds.stopped()) {
    if (!watch.wait(500)) continue;
    try {
      build_lectures(workspace, known_lectures(workspace));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "lectern: %s\n", error.what());
    }
    rebuilds.add();
  }
}

int serve(int port, bool watching) {
  const Workspace workspace = find_workspace();
  std::optional<Watch> watch;
  if (watching) {
    watch.emplace(std::vector{workspace.lectures(), workspace.root / "site_templates"},
                  std::vector{workspace.site, workspace.root / "build"});
    build_lectures(workspace, known_lectures(workspace));
  }
  if (!fs::exists(workspace.site / "index.html")) {
    throw Error(shown(workspace.site) + " has no pages yet; run `lectern build` first");
  }
  // Blocked before any thread starts, so that only the one that waits for these signals gets them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(32); };
  server.set_default_headers({{"Cache-Control", "no-store"}});
  set_types(server);
  const fs::path site = fs::canonical(workspace.site);
  server.set_mount_point("/", site.string());
  serve_only(server, site);
  Rebuilds rebuilds;
  if (watching) announce_rebuilds(server, rebuilds);

  port = bind(server, port);
  std::printf("http://%s:%d/\n", kHost, port);
  std::fflush(stdout);

  std::thread stopper([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    rebuilds.stop();
    server.stop();
  });
  std::thread watcher;
  if (watching) watcher = std::thread([&] { rebuild_on_changes(workspace, *watch, rebuilds); });
  const bool ended_well = server.listen_after_bind();
  pthread_kill(stopper.native_handle(), SIGTERM);  // if the server ended by itself
  stopper.join();
  const int status = ended_well ? 0 : 1;
  if (!watching) return status;
  Progress::clear();  // a build may be running, which ends with this process
  _exit(status);
}

}  // namespace

void add_serve(CLI::App& app, int& status) {
  auto port = std::make_shared<int>(kDefaultPort);
  auto watch = std::make_shared<bool>(false);
  auto* command = app.add_subcommand("serve", "Serves the site to this machine");
  command->add_option("--port", *port, "The port; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command->add_flag("--watch", *watch,
                    "Rebuild what changes in lectures/ and site_templates/, and reload the page");
  command->footer(
      "Prints the address. Ctrl-C ends it.\n"
      "Exit status: 0 ended, 1 the port is taken or there are no pages, 2 the command line is wrong.");
  command->callback([port, watch, &status] { status = serve(*port, *watch); });
}

}  // namespace lectern::cli
