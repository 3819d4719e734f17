#include "distributed/watchdog.h"

#include <algorithm>
#include <utility>

namespace lectern::distributed {

Watchdog::Watchdog() : thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Watchdog::Watch::Watch(Watchdog& watchdog, Clock::time_point deadline, std::function<void()> give_up)
    : watchdog_(watchdog) {
  const std::lock_guard lock(watchdog_.mutex_);
  entry_ = watchdog_.entries_.emplace(watchdog_.entries_.end(), deadline, std::move(give_up));
  if (deadline >= watchdog_.next_) return;
  watchdog_.next_ = deadline;
  watchdog_.changed_.notify_one();
}

Watchdog::Watch::~Watch() {
  const std::lock_guard lock(watchdog_.mutex_);
  watchdog_.entries_.erase(entry_);
}

// Watches end long before their deadlines, as a rule; the thread then sleeps on until the earliest of them,
// and looks again.
void Watchdog::run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    const Clock::time_point now = Clock::now();
    next_ = Clock::time_point::max();
    for (auto& [deadline, give_up] : entries_) {
      if (deadline <= now) {
        give_up();
        deadline = Clock::time_point::max();
      }
      next_ = std::min(next_, deadline);
    }
    if (next_ == Clock::time_point::max()) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, next_);
    }
  }
}

}  // namespace lectern::distributed
