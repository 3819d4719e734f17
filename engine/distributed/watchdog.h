#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "distributed/store.h"

namespace lectern::distributed {

/// A thread that ends waits whose time has passed.
class Watchdog {
 public:
  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  using Entries = std::list<std::pair<Clock::time_point, std::function<void()>>>;

 public:
  /// Calls `give_up` at the deadline, unless the watch has ended.
  class Watch {
   public:
    Watch(Watchdog& watchdog, Clock::time_point deadline, std::function<void()> give_up);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Watchdog& watchdog_;
    Entries::iterator entry_;
  };

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  Entries entries_;
  Clock::time_point next_ = Clock::time_point::max();  ///< when the thread looks again
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace lectern::distributed
