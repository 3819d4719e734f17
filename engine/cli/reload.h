#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

namespace lectern::cli {

/// Under --watch, each page loads a script (kReloadPath) that listens to server-sent events (kEventsPath). It
/// reloads the page when it was made anew, and shows over the page what went wrong. Where the browser has
/// shared workers, one (kEventsScriptPath) listens for all pages: a browser has six connections to a server,
/// and a page for each would keep the seventh from loading.
inline constexpr const char* kReloadPath = "/lectern-reload.js";
inline constexpr const char* kEventsPath = "/lectern-events";
inline constexpr const char* kEventsScriptPath = "/lectern-events.js";

const char* reload_script();
const char* events_script();

/// Adds that script to a page, and lets the page's policy connect to its own server.
std::string add_reload_script(std::string html);

/// How the pages stand, for those who read them.
struct BuildState {
  int pages = 0;              ///< how often pages were made anew
  bool building = false;      ///< now
  std::string problems = {};  ///< of the newest build that ended, a line each

  std::string json() const;
};

/// The state of the builds, shared between who builds and who serves.
class BuildNews {
 public:
  void begin();
  /// A build ended. `pages`: whether it made any anew.
  void end(bool pages, std::string problems);
  /// Waits for a state after the `seen`-th, for a few seconds at most; returns the number of the newest and
  /// stores it.
  int wait_after(int seen, BuildState& state) const;
  /// Wakes all waiting threads.
  void stop();
  bool stopped() const;

 private:
  void announce();

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  BuildState state_;
  int number_ = 1;
  bool stopped_ = false;
};

}  // namespace lectern::cli
