#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include <httplib.h>

#include "base/error.h"
#include "cli/commands.h"
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
      response.body = with_reload(std::move(response.body));
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
  // Before any thread starts, so that only the one that waits for them gets these signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

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
  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(32); };
  server.set_default_headers({{"Cache-Control", "no-store"}});
  set_types(server);
  server.set_mount_point("/", workspace.site.string());
  Rebuilds rebuilds;
  if (watching) announce_rebuilds(server, rebuilds);

  if (port == 0) {
    port = server.bind_to_any_port(kHost);
  } else if (!server.bind_to_port(kHost, port)) {
    port = -1;
  }
  if (port < 0) throw Error("the port is taken; choose another with --port, or 0 for any that is free");
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
  pthread_kill(stopper.native_handle(), SIGTERM);  // when the server ended by itself
  stopper.join();
  if (watcher.joinable()) watcher.join();
  return ended_well ? 0 : 1;
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
