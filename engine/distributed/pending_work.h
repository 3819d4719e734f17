#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

namespace lectern::distributed {

/// A collective in two parts: `run` communicates, on the group's thread; `finish`, where wait() is called
/// first, copies the results to where they belong. A message between two ranks has begun already, and wait()
/// calls its `run`; its `is_over` is whether it needs its memory no more.
class PendingWork {
 public:
  PendingWork(std::function<void()> run, std::function<void()> finish,
              std::function<bool()> is_over = nullptr)
      : is_message_(is_over != nullptr),
        run_(std::move(run)),
        finish_(std::move(finish)),
        is_over_(std::move(is_over)) {}

  void run() noexcept;
  void wait();
  bool is_run() const;
  /// Of a message for which nobody waits.
  bool is_over() const { return is_over_(); }

 private:
  const bool is_message_;
  std::function<void()> run_, finish_;
  std::function<bool()> is_over_;
  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool is_run_ = false;
  std::exception_ptr error_;
};

}  // namespace lectern::distributed
