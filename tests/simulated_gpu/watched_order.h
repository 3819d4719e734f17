#pragma once

// For ThreadSanitizer (the preset `tsan`), which takes simulated threads for threads of their own: what
// orders them is their barriers alone, not that they take turns. Without it all of this is nothing.

#ifdef LECTERN_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace lectern::test {

class WatchedThread {
 public:
#ifdef LECTERN_THREAD_SANITIZER
  WatchedThread() : thread_(__tsan_create_fiber(0)), is_own_(true) {}
  ~WatchedThread() {
    if (is_own_) __tsan_destroy_fiber(thread_);
  }
  WatchedThread(const WatchedThread&) = delete;
  WatchedThread& operator=(const WatchedThread&) = delete;

  /// The one that calls it.
  static WatchedThread running() {
    return WatchedThread(__tsan_get_current_fiber());
  }

  /// Called directly before it goes on.
  void is_next() {
    __tsan_switch_to_fiber(thread_, __tsan_switch_to_fiber_no_sync);
  }

 private:
  explicit WatchedThread(void* thread) : thread_(thread), is_own_(false) {}

  void* thread_;
  bool is_own_;
#else
  static WatchedThread running() {
    return {};
  }
  void is_next() {}
#endif
};

/// What precedes a come_before() precedes all that follows a later come_after().
class WatchedPlace {
 public:
#ifdef LECTERN_THREAD_SANITIZER
  void come_before() {
    __tsan_release(this);
  }
  void come_after() {
    __tsan_acquire(this);
  }
#else
  void come_before() {}
  void come_after() {}
#endif
};

}  // namespace lectern::test
