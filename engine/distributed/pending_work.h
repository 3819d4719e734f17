#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

namespace lectern::distributed {

/// A collective in two parts: `run` communicates, on the group's thread or, of send and recv, where wait() is
/// called; `finish`, where wait() is called first, copies the results to where they belong.
class PendingWork {
 public:
  PendingWork(std::function<void()> run, std::function<void()> finish)
      : run_(std::move(run)), finish_(std::move(finish)) {}

  void run() noexcept;
  void wait();
  bool is_run() const;

  /// wait() calls run().
  bool is_lazy = false;

 private:
  std::function<void()> run_, finish_;
  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool is_run_ = false;
  std::exception_ptr error_;
};

}  // namespace lectern::distributed
