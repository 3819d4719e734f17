#include "distributed/group.h"

#include <algorithm>

#include "autograd/grad_mode.h"
#include "device/threads.h"

namespace lectern::distributed {

ProcessGroup::ProcessGroup(std::shared_ptr<Mesh> mesh, std::uint64_t id, std::vector<int> ranks,
                           int global_rank, ProcessGroupOptions options)
    : mesh_(std::move(mesh)), id_(id), ranks_(std::move(ranks)), options_(std::move(options)) {
  rank_ = group_rank(global_rank);
}

ProcessGroup::~ProcessGroup() {
  if (!is_finished()) {
    for (const auto& message : kept_) {
      if (message.use_count() == 1 && !message->is_run()) message->run();
    }
  }
  finish();
}

int ProcessGroup::group_rank(int global) const {
  const auto found = std::ranges::find(ranks_, global);
  return found == ranks_.end() ? -1 : static_cast<int>(found - ranks_.begin());
}

void ProcessGroup::finish() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  if (communicator_ != nullptr) communicator_->wait_until_idle();
  for (const auto& [ranks, pair] : directions_) pair->finish();
}

bool ProcessGroup::is_finished() const {
  const std::lock_guard lock(mutex_);
  return is_ending_;
}

std::uint64_t ProcessGroup::next_message(int from, int to, int tag) {
  for (Message& message : messages_) {
    if (message.from == from && message.to == to && message.tag == tag) return ++message.count;
  }
  messages_.push_back({from, to, tag, 1});
  return 1;
}

void ProcessGroup::submit(std::shared_ptr<PendingWork> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  changed_.notify_one();
}

void ProcessGroup::keep(std::shared_ptr<PendingWork> message) {
  std::erase_if(kept_, [](const std::shared_ptr<PendingWork>& each) {
    return each->is_run() || (each.use_count() == 1 && each->is_over());
  });
  kept_.push_back(std::move(message));
}

void ProcessGroup::run() {
  const NoGradGuard no_grad;
  set_num_threads(1);  // sums are bound by memory, and the other cores compute
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const auto work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work->run();
    lock.lock();
  }
}

}  // namespace lectern::distributed
