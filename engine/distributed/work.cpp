#include "distributed/work.h"

#include "distributed/pending_work.h"

namespace lectern::distributed {

void PendingWork::run() noexcept {
  std::exception_ptr error;
  try {
    run_();
  } catch (...) {
    error = std::current_exception();
  }
  run_ = nullptr;
  is_over_ = nullptr;
  {
    const std::lock_guard lock(mutex_);
    error_ = error;
    is_run_ = true;
  }
  done_.notify_all();
}

void PendingWork::wait() {
  if (is_message_ && !is_run()) run();
  {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return is_run_; });
    if (error_ != nullptr) std::rethrow_exception(error_);
  }
  if (finish_ != nullptr) finish_();
  finish_ = nullptr;
}

bool PendingWork::is_run() const {
  const std::lock_guard lock(mutex_);
  return is_run_;
}

Work::Work(std::shared_ptr<PendingWork> pending) : pending_(std::move(pending)) {}

void Work::wait() const {
  if (pending_ != nullptr) pending_->wait();
}

bool Work::is_completed() const {
  return pending_ == nullptr || pending_->is_run();
}

}  // namespace lectern::distributed
