#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device.h"
#include "device/memory_stats.h"

namespace lectern {

/// A caching allocator for the tensors of one device. Thread safe.
class Allocator {
 public:
  virtual ~Allocator() = default;

  /// At least `bytes` bytes, aligned to 64 (CPU) or 256 (CUDA); nullptr for 0. Out of memory: a TensorError
  /// with the bytes asked for, allocated and cached.
  virtual void* allocate(std::size_t bytes) = 0;
  /// `bytes` as asked for.
  virtual void deallocate(void* data, std::size_t bytes) noexcept = 0;
  /// Returns cached memory to the system.
  virtual void empty_cache() = 0;

  virtual MemoryStats stats() const = 0;
  /// Resets the peaks to the current use.
  virtual void reset_peak() = 0;
};

/// The allocator of a device; throws TensorError for an unknown one.
Allocator& allocator(Device device);

}  // namespace lectern
