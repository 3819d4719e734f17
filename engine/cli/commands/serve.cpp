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
#include "base/files.h"
#include "cli/commands/audience_options.h"
#include "cli/commands/commands.h"
#include "cli/commands/validators.h"
#include "cli/live_build.h"
#include "cli/reload.h"
#include "cli/site_build.h"

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
      {"xml", "application/xml"},
      {"vtt", "text/vtt; charset=utf-8"},
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

/// Whether a request is for this machine by one of its own names, whatever port leads here. A page from
/// elsewhere whose name was made to lead here asks for that name.
bool is_local(const std::string& host) {
  const std::size_t port = host.rfind(':');
  const bool has_port = port != std::string::npos && host.find(']', port) == std::string::npos &&
                        host.find_first_not_of("0123456789", port + 1) == std::string::npos;
  const std::string name = host.substr(0, has_port ? port : std::string::npos);
  return name == "localhost" || name == kHost || name == "[::1]";
}

/// Serves files of the site only, wherever its links lead. Redirects a folder to its name with a slash, on
/// which the relative links of its page rely.
void serve_only(httplib::Server& server, const fs::path& site) {
  using Handled = httplib::Server::HandlerResponse;
  server.set_pre_routing_handler([site](const httplib::Request& request, httplib::Response& response) {
    disable_compression(request);
    if (!is_local(request.get_header_value("Host"))) {
      response.status = 403;
      response.set_content("This site is served to this machine only: to localhost, 127.0.0.1 and [::1]\n",
                           "text/plain; charset=utf-8");
      return Handled::Handled;
    }
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

void say_what_is_missing(httplib::Server& server, bool watching) {
  server.set_error_handler([watching](const httplib::Request&, httplib::Response& response) {
    if (response.status != 404) return;
    const std::string page =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Not found</title></head>\n"
        "<body><p>There is no such page here" +
        std::string(watching ? " yet" : "") + ". <a href=\"/\">All lectures</a></p></body></html>\n";
    response.set_content(watching ? add_reload_script(page) : page, "text/html; charset=utf-8");
  });
}

/// Tells pages how the builds go.
void announce_builds(httplib::Server& server, const BuildNews& news) {
  for (const auto& [path, script] :
       {std::pair{kReloadPath, reload_script()}, std::pair{kEventsScriptPath, events_script()}}) {
    server.Get(path, [script = script](const httplib::Request&, httplib::Response& response) {
      response.set_content(script, "text/javascript; charset=utf-8");
    });
  }
  server.Get(kEventsPath, [&](const httplib::Request&, httplib::Response& response) {
    auto seen = std::make_shared<int>(0);
    response.set_chunked_content_provider(
        "text/event-stream", [&news, seen](std::size_t, httplib::DataSink& sink) {
          BuildState state;
          const int newest = news.wait_after(*seen, state);
          const std::string event = newest > *seen ? "data: " + state.json() + "\n\n" : ": waiting\n\n";
          *seen = newest;
          return !news.stopped() && sink.write(event.data(), event.size());
        });
  });
  server.set_file_request_handler([](const httplib::Request&, httplib::Response& response) {
    if (response.get_header_value("Content-Type").starts_with("text/html")) {
      response.body = add_reload_script(std::move(response.body));
    }
  });
}

struct ServeArguments {
  std::vector<std::string> names;
  int port = kDefaultPort;
  bool watch = false;
  BuildOptions options;
};

/// Returns whether the server ended because it was told to.
bool listen(httplib::Server& server, BuildNews& news, LiveBuild* live) {
  // Blocked before any thread starts, so that only the one that waits for these signals gets them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread stopper([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    news.stop();
    server.stop();
  });
  std::thread builder;
  if (live != nullptr) builder = std::thread([live] { live->run(); });
  const bool ended_well = server.listen_after_bind();
  pthread_kill(stopper.native_handle(), SIGTERM);  // if the server ended by itself
  stopper.join();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // a second Ctrl-C does not wait for the build
  if (builder.joinable()) builder.join();
  return ended_well;
}

int serve(const ServeArguments& arguments, int& status) {
  const Workspace workspace = find_workspace();
  status = 2;  // errors thrown from here on concern the command line
  BuildOptions options = arguments.options;
  if (options.audience.students) options.out = site_for_others(workspace, options);
  const fs::path folder = options.out.empty() ? workspace.site : options.out;
  std::vector<Lecture> lectures;
  if (!arguments.names.empty()) lectures = find_lectures(workspace, arguments.names, options.out.empty());
  status = 1;
  BuildNews news;
  std::unique_ptr<LiveBuild> live;
  if (arguments.watch) {
    live = std::make_unique<LiveBuild>(workspace, arguments.names, options, news);
    make_folder(folder);
  } else if (!lectures.empty()) {
    build_lectures(workspace, lectures, options);
  }
  if (!arguments.watch && !fs::exists(folder / "index.html"))
    throw Error(shown(folder) + " has no pages yet; run `lectern build" +
                (options.audience.students ? " --audience students" : "") + "` first");

  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(32); };
  server.set_default_headers({{"Cache-Control", "no-store"}});
  set_types(server);
  const fs::path site = fs::canonical(folder);
  server.set_mount_point("/", site.string());
  serve_only(server, site);
  say_what_is_missing(server, arguments.watch);
  if (arguments.watch) announce_builds(server, news);

  const std::string page = lectures.size() == 1 ? lectures.front().name + "/" : "";
  std::printf("http://%s:%d/%s\n", kHost, bind(server, arguments.port), page.c_str());
  std::fflush(stdout);
  return listen(server, news, live.get()) ? 0 : 1;
}

}  // namespace

void add_serve(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ServeArguments>();
  auto* command = app.add_subcommand("serve", "Serves the site to this machine");
  command->add_option(
      "LECTURE", arguments->names,
      "Names in lectures/, or paths to C++ files anywhere, to build; with --watch all when left "
      "out");
  command->add_option("--port", arguments->port, "The port; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command->add_flag(
      "--watch", arguments->watch,
      "Build what changes, beside these lectures or in lectures/ and site_templates/, and reload "
      "the page");
  command
      ->add_option("--timeout", arguments->options.timeout,
                   "Seconds after which a running lecture is killed; 0: never")
      ->check(is_seconds())
      ->capture_default_str();
  add_audience_options(*command, arguments->options.audience);
  command->footer(
      "Prints the address. Ctrl-C ends it. Requests are answered that name localhost, 127.0.0.1 or [::1];\n"
      "others get status 403. With --audience students, it serves build/students, the pages\n"
      "that `build` makes with it. With --watch, a save ends the build under way, and what goes wrong is\n"
      "shown over the page.\n"
      "Exit status: 0 ended, 1 the port is taken or there are no pages, 2 the command line is wrong.");
  command->callback([arguments, &status] { status = serve(*arguments, status); });
}

}  // namespace lectern::cli
