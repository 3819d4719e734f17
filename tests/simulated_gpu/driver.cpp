#include "simulated_gpu/driver.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "simulated_gpu/capture.h"

namespace lectern::cuda {
namespace {

std::atomic<Status> broken = nullptr;

/// One GPU in the host's memory. Everything is done when the call returns, whatever the stream.
class SimulatedDriver final : public Driver {
 public:
  int device_count() override { return 1; }
  Status properties(int /*device*/, DeviceProperties* properties) override {
    properties->name = "Simulated GPU";
    properties->major = 9;
    properties->multi_processor_count = 4;
    properties->max_threads_per_multi_processor = 2048;
    properties->shared_memory_per_block_optin = 227 << 10;
    properties->total_memory = kMemory;
    properties->l2_cache_size = 1 << 20;
    properties->clock_rate = 1'000'000;
    properties->memory_clock_rate = 1'000'000;
    properties->memory_bus_width = 64;
    return nullptr;
  }
  Status set_device(int /*device*/) override { return nullptr; }
  Status memory_info(MemoryInfo* info) override {
    const std::lock_guard lock(mutex_);
    *info = {kMemory - in_use_, kMemory};
    return nullptr;
  }
  Status synchronize() override {
    const Status refused = test::refuse_to_wait_for_device();
    return refused != nullptr ? refused : broken.load();
  }
  Status last_error() override { return broken; }

  Status create_stream(StreamHandle* stream, int /*priority*/) override {
    *stream = reinterpret_cast<StreamHandle>(next_handle());
    return nullptr;
  }
  Status synchronize(StreamHandle stream) override { return stream == nullptr ? broken.load() : waited(); }
  Status query(StreamHandle /*stream*/, bool* done) override {
    *done = true;
    return nullptr;
  }

  Status create_event(EventHandle* event, bool /*timed*/) override {
    *event = reinterpret_cast<EventHandle>(next_handle());
    return nullptr;
  }
  void destroy(EventHandle event) noexcept override {
    const std::lock_guard lock(mutex_);
    recorded_.erase(event);
  }
  Status record(EventHandle event, StreamHandle /*stream*/) override {
    const std::lock_guard lock(mutex_);
    recorded_[event] = Clock::now();
    return nullptr;
  }
  Status wait(StreamHandle /*stream*/, EventHandle /*event*/) override { return nullptr; }
  Status query(EventHandle /*event*/, bool* done) override {
    *done = true;
    return nullptr;
  }
  Status synchronize(EventHandle /*event*/) override { return waited(); }
  Status elapsed(EventHandle start, EventHandle end, float* milliseconds) override {
    const std::lock_guard lock(mutex_);
    *milliseconds = std::chrono::duration<float, std::milli>(recorded_.at(end) - recorded_.at(start)).count();
    return nullptr;
  }

  Status allocate(void** data, std::size_t bytes, StreamHandle /*stream*/) override {
    *data = nullptr;
    if (broken != nullptr) return broken;
    const std::lock_guard lock(mutex_);
    if (bytes > static_cast<std::size_t>(kMemory - in_use_)) return nullptr;
    *data = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
    if (*data == nullptr) return nullptr;
    std::memset(*data, kUnwritten, bytes);
    sizes_[*data] = bytes;
    in_use_ += static_cast<std::int64_t>(bytes);
    return nullptr;
  }
  void free(void* data, StreamHandle stream) noexcept override {
    test::spoil(stream);
    const std::lock_guard lock(mutex_);
    const auto block = sizes_.find(data);
    in_use_ -= static_cast<std::int64_t>(block->second);
    sizes_.erase(block);
    std::free(data);
  }
  void trim() noexcept override { test::refuse_to_wait_for_device(); }
  Status allocate_pinned(void** data, std::size_t bytes) override {
    *data = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
    return nullptr;
  }
  void free_pinned(void* data) noexcept override { std::free(data); }

  Status copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) override {
    if (broken == nullptr) test::give(stream, [=] { std::memcpy(to, from, bytes); });
    return broken;
  }
  Status copy_between(void* to, int /*to_device*/, const void* from, int /*from_device*/, std::size_t bytes,
                      StreamHandle stream) override {
    return copy(to, from, bytes, stream);
  }

  Status begin_capture(StreamHandle stream) override { return test::begin_recording(stream); }
  Status end_capture(StreamHandle stream, GraphHandle* graph) override {
    return test::end_recording(stream, graph);
  }
  Status launch(GraphHandle graph, StreamHandle stream) override { return test::run_recorded(graph, stream); }
  void destroy(GraphHandle graph) noexcept override { test::destroy_recorded(graph); }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr std::int64_t kMemory = std::int64_t{4} << 30;
  static constexpr int kUnwritten = 0xCB;  ///< what nobody has written is not by chance 0

  static Status waited() {
    const Status refused = test::refuse_to_wait();
    return refused != nullptr ? refused : broken.load();
  }

  std::uintptr_t next_handle() {
    const std::lock_guard lock(mutex_);
    return ++last_handle_;
  }

  std::mutex mutex_;
  std::uintptr_t last_handle_ = 0;
  std::map<EventHandle, Clock::time_point> recorded_;
  std::map<void*, std::size_t> sizes_;
  std::int64_t in_use_ = 0;
};

}  // namespace

void break_context(Status problem) {
  broken = problem;
}

std::unique_ptr<Driver> find_driver(std::string* /*reason*/) {
  return std::make_unique<SimulatedDriver>();
}

}  // namespace lectern::cuda
