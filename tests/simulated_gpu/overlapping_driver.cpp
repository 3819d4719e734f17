#include "simulated_gpu/overlapping_driver.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "device/cuda_driver.h"
#include "device/stream.h"

// A GPU in the host's memory, which works while the host goes on: each piece of work is a thread of its own.
// For the thread sanitizer, which sees one as ordered before another only where a stream, an event or a wait
// orders them. What else would order them is left out: marks are never freed, as counting who still looks at
// one would, and whoever waits looks again and again, as a condition variable would.

namespace lectern::cuda {
namespace {

class Mark {
 public:
  void reach() { reached_.store(true, std::memory_order_release); }
  bool is_reached() const { return reached_.load(std::memory_order_acquire); }
  void wait() const {
    while (!is_reached()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }

 private:
  std::atomic<bool> reached_ = false;
};

class Queue {
 public:
  /// Behind what was given by now.
  const Mark& give(std::function<void()> work) {
    auto* const done = new Mark;
    const Mark* before = nullptr;
    {
      const std::lock_guard lock(mutex_);
      before = std::exchange(end_, done);
    }
    std::thread([before, done, work = std::move(work)] {
      if (before != nullptr) before->wait();
      work();
      done->reach();
    }).detach();
    return *done;
  }
  /// What was given last; nullptr before anything was.
  const Mark* end() {
    const std::lock_guard lock(mutex_);
    return end_;
  }
  bool is_done() {
    const Mark* const last = end();
    return last == nullptr || last->is_reached();
  }
  void wait() {
    if (const Mark* const last = end()) last->wait();
  }

 private:
  std::mutex mutex_;  ///< of the host's threads
  const Mark* end_ = nullptr;
};

Queue& queue_of(StreamHandle stream) {
  static Queue& of_default = *new Queue;
  return stream == nullptr ? of_default : *reinterpret_cast<Queue*>(stream);
}

/// The present mark of an event.
const Mark*& mark_of(EventHandle event) {
  return *reinterpret_cast<const Mark**>(event);
}

class OverlappingDriver final : public Driver {
 public:
  int device_count() override { return 1; }
  Status properties(int /*device*/, DeviceProperties* properties) override {
    properties->name = "Overlapping GPU";
    return nullptr;
  }
  Status set_device(int /*device*/) override { return nullptr; }
  Status memory_info(MemoryInfo* info) override {
    *info = {1 << 30, 1 << 30};
    return nullptr;
  }
  Status synchronize() override {
    queue_of(nullptr).wait();
    const std::lock_guard lock(mutex_);
    for (Queue* queue : queues_) queue->wait();
    return nullptr;
  }
  Status last_error() override { return nullptr; }

  Status create_stream(StreamHandle* stream, int /*priority*/) override {
    const std::lock_guard lock(mutex_);
    *stream = reinterpret_cast<StreamHandle>(queues_.emplace_back(new Queue));
    return nullptr;
  }
  Status synchronize(StreamHandle stream) override {
    queue_of(stream).wait();
    return nullptr;
  }
  Status query(StreamHandle stream, bool* done) override {
    *done = queue_of(stream).is_done();
    return nullptr;
  }

  Status create_event(EventHandle* event, bool /*timed*/) override {
    *event = reinterpret_cast<EventHandle>(new const Mark*);
    return nullptr;
  }
  void destroy(EventHandle event) noexcept override { delete &mark_of(event); }
  Status record(EventHandle event, StreamHandle stream) override {
    mark_of(event) = &queue_of(stream).give([] {});
    return nullptr;
  }
  Status wait(StreamHandle stream, EventHandle event) override {
    queue_of(stream).give([mark = mark_of(event)] { mark->wait(); });
    return nullptr;
  }
  Status query(EventHandle event, bool* done) override {
    *done = mark_of(event)->is_reached();
    return nullptr;
  }
  Status synchronize(EventHandle event) override {
    mark_of(event)->wait();
    return nullptr;
  }
  Status elapsed(EventHandle /*start*/, EventHandle /*end*/, float* milliseconds) override {
    *milliseconds = 1;
    return nullptr;
  }

  Status allocate(void** data, std::size_t bytes, StreamHandle /*stream*/) override {
    return allocate_pinned(data, bytes);
  }
  void free(void* data, StreamHandle stream) noexcept override {
    queue_of(stream).give([data] { std::free(data); });
  }
  void trim() noexcept override {}
  Status allocate_pinned(void** data, std::size_t bytes) override {
    *data = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
    return nullptr;
  }
  void free_pinned(void* data) noexcept override { std::free(data); }

  Status copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) override {
    queue_of(stream).give([=] { std::memcpy(to, from, bytes); });
    return nullptr;
  }
  Status copy_between(void* to, int /*to_device*/, const void* from, int /*from_device*/, std::size_t bytes,
                      StreamHandle stream) override {
    return copy(to, from, bytes, stream);
  }

  Status begin_capture(StreamHandle /*stream*/) override { return kNoGraphs; }
  Status end_capture(StreamHandle /*stream*/, GraphHandle* /*graph*/) override { return kNoGraphs; }
  Status launch(GraphHandle /*graph*/, StreamHandle /*stream*/) override { return kNoGraphs; }
  void destroy(GraphHandle /*graph*/) noexcept override {}

 private:
  static constexpr Status kNoGraphs = "this driver records no graphs";

  std::mutex mutex_;
  std::vector<Queue*> queues_;
};

}  // namespace

std::unique_ptr<Driver> find_driver(std::string* /*reason*/) {
  return std::make_unique<OverlappingDriver>();
}

}  // namespace lectern::cuda

namespace lectern::test {

void launch(std::function<void()> kernel) {
  cuda::queue_of(cuda::current_stream().handle()).give(std::move(kernel));
}

}  // namespace lectern::test
