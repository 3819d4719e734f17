#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device/cuda_driver.h"

namespace lectern::test {

/// GPUs in the host's memory. Work waits in its stream until the test runs it, so that every order can be
/// tried.
class FakeDriver final : public cuda::Driver {
 public:
  using StreamHandle = cuda::StreamHandle;
  using EventHandle = cuda::EventHandle;
  using Status = cuda::Status;

  explicit FakeDriver(int devices = 1) : devices_(devices) {}
  ~FakeDriver() override {
    for (const auto& [data, block] : memory_) std::free(data);
    for (void* data : pinned_) std::free(data);
  }

  // What a test sets and sees.

  std::size_t limit = SIZE_MAX;         ///< bytes of device memory, what the pool keeps included
  std::size_t pinned_limit = SIZE_MAX;  ///< blocks of pinned memory
  std::size_t in_use = 0;
  std::size_t pooled = 0;
  int allocations = 0;
  int frees = 0;
  int trims = 0;
  int marks = 0;                     ///< events recorded
  Status launch_problem = nullptr;   ///< what last_error() tells, once
  Status work_problem = nullptr;     ///< what every wait tells
  std::map<int, std::string> names;  ///< of devices; of the others "Fake N"

  std::size_t pinned_blocks() const { return pinned_.size(); }
  std::size_t living_events() const { return events_.size(); }

  /// Does what a stream was given, until the end or a wait for an event that is not reached.
  void run(int device, StreamHandle stream) {
    const std::lock_guard lock(mutex_);
    run_queue({device, stream});
  }
  void run_all() {
    const std::lock_guard lock(mutex_);
    run_everything();
  }
  /// Gives a stream of the current device work that is called until it returns true.
  void enqueue(StreamHandle stream, std::function<bool()> work) {
    const std::lock_guard lock(mutex_);
    give(stream, std::move(work));
  }

  // Driver.

  int device_count() override { return devices_; }
  Status properties(int device, cuda::DeviceProperties* properties) override {
    const auto named = names.find(device);
    properties->name = named == names.end() ? "Fake " + std::to_string(device) : named->second;
    properties->multi_processor_count = 7;
    properties->max_threads_per_multi_processor = 2048;
    return nullptr;
  }
  Status set_device(int device) override {
    current_ = device;
    return nullptr;
  }
  Status memory_info(cuda::MemoryInfo* info) override {
    *info = {current_ + 100, current_ + 1000};
    return nullptr;
  }
  Status synchronize() override {
    run_all();
    return work_problem;
  }
  Status last_error() override { return std::exchange(launch_problem, nullptr); }

  Status create_stream(StreamHandle* stream, int /*priority*/) override {
    const std::lock_guard lock(mutex_);
    *stream = reinterpret_cast<StreamHandle>(++last_handle_);
    return nullptr;
  }
  Status synchronize(StreamHandle /*stream*/) override {
    run_all();
    return work_problem;
  }
  Status query(StreamHandle stream, bool* done) override {
    const std::lock_guard lock(mutex_);
    *done = queues_[{current_, stream}].empty();
    return work_problem;
  }

  Status create_event(EventHandle* event, bool /*timed*/) override {
    const std::lock_guard lock(mutex_);
    *event = reinterpret_cast<EventHandle>(++last_handle_);
    events_.emplace(*event, std::make_shared<Mark>());
    return work_problem;
  }
  void destroy(EventHandle event) noexcept override {
    const std::lock_guard lock(mutex_);
    events_.erase(event);
  }
  Status record(EventHandle event, StreamHandle stream) override {
    const std::lock_guard lock(mutex_);
    ++marks;
    auto mark = events_.at(event) = std::make_shared<Mark>();
    mark->reached = false;
    give(stream, [this, mark] {
      mark->reached = true;
      mark->time = ++clock_;
      return true;
    });
    return nullptr;
  }
  Status wait(StreamHandle stream, EventHandle event) override {
    const std::lock_guard lock(mutex_);
    give(stream, [mark = events_.at(event)] { return mark->reached; });
    return nullptr;
  }
  Status query(EventHandle event, bool* done) override {
    const std::lock_guard lock(mutex_);
    *done = events_.at(event)->reached;
    return work_problem;
  }
  Status synchronize(EventHandle /*event*/) override {
    run_all();
    return work_problem;
  }
  Status elapsed(EventHandle start, EventHandle end, float* milliseconds) override {
    const std::lock_guard lock(mutex_);
    *milliseconds = static_cast<float>(events_.at(end)->time - events_.at(start)->time);
    return nullptr;
  }

  Status allocate(void** data, std::size_t bytes, StreamHandle /*stream*/) override {
    const std::lock_guard lock(mutex_);
    ++allocations;
    const std::size_t fresh = bytes - std::min(bytes, pooled);
    *data = nullptr;
    if (fresh > limit || in_use + pooled > limit - fresh) return nullptr;
    pooled -= bytes - fresh;
    in_use += bytes;
    *data = std::aligned_alloc(512, bytes);
    memory_[*data] = {bytes, current_};
    return nullptr;
  }
  void free(void* data, StreamHandle stream) noexcept override {
    const std::lock_guard lock(mutex_);
    ++frees;
    in_use -= memory_.at(data).bytes;
    pooled += memory_.at(data).bytes;
    give(stream, [this, data] {
      memory_.erase(data);
      std::free(data);
      return true;
    });
  }
  void trim() noexcept override {
    const std::lock_guard lock(mutex_);
    ++trims;
    run_everything();
    pooled = 0;
  }

  Status allocate_pinned(void** data, std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    *data = pinned_.size() < pinned_limit ? pinned_.emplace_back(std::aligned_alloc(512, bytes)) : nullptr;
    return nullptr;
  }
  void free_pinned(void* data) noexcept override {
    const std::lock_guard lock(mutex_);
    std::erase(pinned_, data);
    std::free(data);
  }

  Status copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) override {
    const std::lock_guard lock(mutex_);
    return give_copy(to, current_, from, current_, bytes, stream);
  }
  Status copy_between(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                      StreamHandle stream) override {
    const std::lock_guard lock(mutex_);
    return give_copy(to, to_device, from, from_device, bytes, stream);
  }

  Status begin_capture(StreamHandle /*stream*/) override { return kNoGraphs; }
  Status end_capture(StreamHandle /*stream*/, cuda::GraphHandle* /*graph*/) override { return kNoGraphs; }
  Status launch(cuda::GraphHandle /*graph*/, StreamHandle /*stream*/) override { return kNoGraphs; }
  void destroy(cuda::GraphHandle /*graph*/) noexcept override {}

 private:
  static constexpr Status kNoGraphs = "this driver records no graphs";

  struct Mark {
    bool reached = true;
    int time = 0;
  };
  struct Block {
    std::size_t bytes;
    int device;
  };
  using Work = std::function<bool()>;  ///< false: not yet
  using Place = std::pair<int, StreamHandle>;

  void give(StreamHandle stream, Work work) { queues_[{current_, stream}].push_back(std::move(work)); }

  /// As CUDA, which does not find memory of another device's pool than it is told.
  Status give_copy(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                   StreamHandle stream) {
    if (!may_be_on(to, to_device) || !may_be_on(from, from_device)) return "invalid argument";
    give(stream, [=] {
      std::memcpy(to, from, bytes);
      return true;
    });
    return nullptr;
  }
  /// On the host, too.
  bool may_be_on(const void* data, int device) const {
    const auto after = memory_.upper_bound(const_cast<void*>(data));
    if (after == memory_.begin()) return true;
    const auto& [begin, block] = *std::prev(after);
    return block.device == device || data >= static_cast<const std::byte*>(begin) + block.bytes;
  }

  bool run_queue(const Place& place) {
    std::deque<Work>& queue = queues_[place];
    bool ran = false;
    while (!queue.empty() && queue.front()()) {
      queue.pop_front();
      ran = true;
    }
    return ran;
  }
  void run_everything() {
    bool ran = true;
    while (ran) {
      ran = false;
      for (auto& [place, queue] : queues_) ran = run_queue(place) || ran;
    }
  }

  static inline thread_local int current_ = 0;

  int devices_;
  std::mutex mutex_;
  std::map<Place, std::deque<Work>> queues_;
  std::map<EventHandle, std::shared_ptr<Mark>> events_;
  std::map<void*, Block> memory_;
  std::vector<void*> pinned_;
  std::uintptr_t last_handle_ = 0;
  int clock_ = 0;
};

}  // namespace lectern::test
