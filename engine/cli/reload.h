#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

namespace lectern::cli {

/// How pages served under --watch learn that they were made anew: each loads a script (kReloadPath) that
/// listens to server-sent events (kEventsPath) and reloads.
inline constexpr const char* kReloadPath = "/lectern-reload.js";
inline constexpr const char* kEventsPath = "/lectern-events";

const char* reload_script();

/// The page with that script, and a policy that lets it connect to its own server.
std::string with_reload(std::string html);

/// Counts rebuilds; listeners wait for the next.
class Rebuilds {
 public:
  int count() const;
  void add();
  /// Waits for a rebuild after the `seen`-th, at most some seconds; returns the count.
  int wait_after(int seen) const;
  /// Wakes all who wait.
  void stop();
  bool stopped() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  int count_ = 0;
  bool stopped_ = false;
};

}  // namespace lectern::cli
