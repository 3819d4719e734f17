#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

namespace lectern::cli {

/// Under --watch, each page loads a script (kReloadPath) that listens to server-sent events (kEventsPath) and
/// reloads the page when it was rebuilt.
inline constexpr const char* kReloadPath = "/lectern-reload.js";
inline constexpr const char* kEventsPath = "/lectern-events";

const char* reload_script();

/// Adds that script to a page, and lets the page's policy connect to its own server.
std::string add_reload_script(std::string html);

/// Counts rebuilds; listeners wait for the next.
class Rebuilds {
 public:
  int count() const;
  void add();
  /// Waits for a rebuild after the `seen`-th, for a few seconds at most; returns the count.
  int wait_after(int seen) const;
  /// Wakes all waiting threads.
  void stop();
  bool stopped() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  int count_ = 0;
  bool stopped_ = false;
};

}  // namespace lectern::cli
