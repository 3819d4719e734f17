#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/capture.h"
#include "device/cuda_driver.h"
#include "device/device_allocator.h"
#include "device/index_fault.h"

namespace lectern::cuda {

/// The GPUs of this program, and the state of each. Thread safe.
class Context {
 public:
  static constexpr int kMaxDevices = 64;

  explicit Context(std::unique_ptr<Driver> driver);

  Driver& driver() const { return *driver_; }
  int device_count() const { return static_cast<int>(allocators_.size()); }
  /// Throws TensorError for an unknown device.
  void check_device(int device) const;
  /// LECTERN_CUDA_SYNC: whether to wait for each operation; not for those that are only recorded.
  bool synchronous() const { return synchronous_ && !is_capturing(); }

  DeviceAllocator& allocator(int device);
  PinnedAllocator& pinned_allocator() { return pinned_; }
  /// Where kernels report bad indices; created on first use.
  IndexFault& index_fault();
  /// nullptr until created.
  IndexFault* find_index_fault() const { return index_fault_.load(std::memory_order_acquire); }
  /// In the allocator whose block `data` points into.
  void record_stream(const void* data, const Stream& stream);

  /// The next stream of those shared round robin.
  StreamHandle next_stream(int device, int priority);
  /// One that nobody else has until it is given back.
  StreamHandle take_stream(int device, int priority);
  void give_back(StreamHandle stream, int device, int priority);

 private:
  struct Streams {
    std::array<StreamHandle, 32> handles{};
    std::size_t next = 0;
  };

  std::unique_ptr<Driver> driver_;
  bool synchronous_;
  std::vector<std::unique_ptr<DeviceAllocator>> allocators_;
  PinnedAllocator pinned_;
  std::atomic<IndexFault*> index_fault_ = nullptr;  ///< in pinned memory, which ends with the program
  std::mutex mutex_;
  std::map<std::pair<int, bool>, Streams> streams_;  ///< by device, and whether of high priority
  std::map<std::pair<int, int>, std::vector<StreamHandle>> spare_streams_;  ///< by device and priority
};

/// Throws TensorError saying why if there is no GPU.
Context& context();
/// nullptr if there is no GPU.
Context* find_context();
/// nullptr as long as nobody has asked for a GPU: does not look for one.
Context* started_context();

/// Until the end of the scope the GPUs are those of `driver`. For tests, while nothing is in use.
class ContextOverride {
 public:
  explicit ContextOverride(std::unique_ptr<Driver> driver);
  ~ContextOverride();
  ContextOverride(const ContextOverride&) = delete;
  ContextOverride& operator=(const ContextOverride&) = delete;

 private:
  std::unique_ptr<Context> context_;
};

}  // namespace lectern::cuda
