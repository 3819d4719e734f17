#include "distributed/nccl_communicator.h"

#include <utility>

#include <fmt/format.h>

#include "device/faults.h"

namespace lectern::nccl {
namespace {

constexpr Milliseconds kLook(50);  ///< how often the watcher looks while something is pending
constexpr int kPriority = -1;      ///< of its stream: others wait for what is communicated

std::string text_of(Milliseconds time) {
  return fmt::format("{} s", static_cast<double>(time.count()) / 1000);
}

/// An error's text without the operation.
std::string problem_in(const TensorError& error, std::string_view operation) {
  const std::string_view text = error.what();
  return std::string(text.starts_with(operation) ? text.substr(operation.size() + 2) : text);
}

}  // namespace

UniqueId Communicator::unique_id() {
  const Library& nccl = library("NCCL");
  UniqueId id{};
  if (const Result result = nccl.GetUniqueId(&id); result != Result::success)
    throw Error(fmt::format("NCCL: {} ({})", nccl.GetErrorString(result), nccl.GetLastError(nullptr)));
  return id;
}

Communicator::Communicator(std::string_view operation, const UniqueId& id, int device, Ranks ranks)
    : nccl_(library(operation)), device_(device), ranks_(std::move(ranks)), stream_(device, kPriority) {
  const cuda::DeviceGuard guard(device_);
  try {
    connect(operation, id);
  } catch (...) {
    if (comm_ != nullptr) nccl_.CommAbort(comm_);
    throw;
  }
  watcher_ = std::thread([this] { watch(); });
}

void Communicator::connect(std::string_view operation, const UniqueId& id) {
  Config config;
  const Result result = nccl_.CommInitRankConfig(&comm_, ranks_.size, id, ranks_.rank, &config);
  if (result != Result::success && result != Result::in_progress)
    throw TensorError(operation, "NCCL can't connect the ranks' GPUs: " + reason(result));
  settle(operation);
}

Communicator::~Communicator() {
  wait_until_idle();
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  watcher_.join();
  if (comm_ != nullptr) nccl_.CommDestroy(comm_);
}

std::string Communicator::reason(Result result) const {
  const std::string more = nccl_.GetLastError(comm_);
  return fmt::format("{}{}", nccl_.GetErrorString(result), more.empty() ? "" : " (" + more + ")");
}

/// Waits until NCCL has taken what it was asked for, which may mean connecting to other ranks first.
void Communicator::settle(std::string_view operation) {
  const Clock::time_point deadline = Clock::now() + ranks_.timeout;
  Clock::time_point look = Clock::now() + kLook;
  while (true) {
    Result state = Result::success;
    {
      const std::lock_guard lock(mutex_);
      if (comm_ == nullptr) throw TensorError(operation, problem_);
      const Result result = nccl_.CommGetAsyncError(comm_, &state);
      if (result != Result::success) state = result;
      if (state == Result::success) return;
      if (state != Result::in_progress) throw TensorError(operation, "NCCL: " + reason(state));
    }
    const Clock::time_point now = Clock::now();
    if (now >= deadline)
      throw TensorError(operation, fmt::format("NCCL has not connected the ranks' GPUs within {}",
                                               text_of(ranks_.timeout)));
    if (now >= look) {
      ranks_.check(operation);
      look = now + kLook;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

std::shared_ptr<const cuda::Event> Communicator::enqueue(const std::string& operation,
                                                         const cuda::Event& ready, const Step& step) {
  const cuda::DeviceGuard guard(device_);
  ready.wait(stream());
  try {
    {
      const std::lock_guard lock(mutex_);
      if (comm_ == nullptr) throw TensorError(operation, problem_);
      nccl_.GroupStart();
      const Result asked = step({nccl_, comm_, stream().handle()});
      const Result ended = nccl_.GroupEnd();
      for (const Result result : {asked, ended}) {
        if (result != Result::success && result != Result::in_progress)
          throw TensorError(operation, "NCCL: " + reason(result));
      }
    }
    settle(operation);
  } catch (const TensorError& error) {  // the other ranks may have begun it
    abort(operation, problem_in(error, operation));
    throw;
  }
  const auto done = std::make_shared<const cuda::Event>(stream().record_event());
  {
    const std::lock_guard lock(mutex_);
    if (comm_ == nullptr) throw TensorError(operation, problem_);
    pending_.push_back({operation, done, Clock::now() + ranks_.timeout});
  }
  changed_.notify_all();
  return done;
}

void Communicator::check(std::string_view operation) const {
  const std::lock_guard lock(mutex_);
  if (comm_ == nullptr) throw TensorError(operation, problem_);
}

void Communicator::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return pending_.empty(); });
}

/// The collectives of a stream end in their order.
void Communicator::watch() {
  cuda::set_device(device_);
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (pending_.empty()) {
      changed_.notify_all();
      changed_.wait(lock, [&] { return is_ending_ || !pending_.empty(); });
      continue;
    }
    const Pending oldest = pending_.front();
    lock.unlock();
    bool is_done = false;
    try {
      is_done = is_over(oldest);
    } catch (const TensorError& error) {
      abort(oldest.operation, problem_in(error, oldest.operation));
    }
    lock.lock();
    if (is_done && !pending_.empty()) {
      pending_.pop_front();
    } else if (!pending_.empty()) {
      changed_.wait_for(lock, kLook, [&] { return is_ending_ || pending_.empty(); });
    }
  }
}

/// Throws a TensorError when it never will be.
bool Communicator::is_over(const Pending& collective) {
  if (collective.done->query()) return true;
  {
    const std::lock_guard lock(mutex_);
    Result state = Result::success;
    if (comm_ != nullptr) nccl_.CommGetAsyncError(comm_, &state);
    if (state != Result::success && state != Result::in_progress)
      throw TensorError(collective.operation, "NCCL: " + reason(state));
  }
  ranks_.check(collective.operation);
  if (Clock::now() < collective.deadline) return false;
  throw TensorError(collective.operation, fmt::format("NCCL has not finished {} within {}",
                                                      collective.operation, text_of(ranks_.timeout)));
}

void Communicator::abort(std::string_view operation, const std::string& problem) {
  const std::lock_guard lock(mutex_);
  if (comm_ == nullptr) return;
  problem_ = problem;
  if (!std::exchange(pending_, {}).empty())
    cuda::report_lost_work(operation,
                           problem + "; its result, and all that was computed from it, is invalid");
  nccl_.CommAbort(std::exchange(comm_, nullptr));
  changed_.notify_all();
}

}  // namespace lectern::nccl
