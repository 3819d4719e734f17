#pragma once

#include <cstddef>
#include <cstdint>

#include "device/device.h"
#include "device/memory_stats.h"

namespace lectern {

/// Memory for tensors on one device, kept after use instead of being given back to the system. Thread safe.
class Allocator {
 public:
  virtual ~Allocator() = default;

  /// At least `bytes` bytes, aligned to 64 (CPU) or 256 (CUDA); nullptr for 0. A TensorError when there is no
  /// more: what was asked, what is allocated, what is kept.
  virtual void* allocate(std::size_t bytes) = 0;
  /// `bytes` as it was asked for.
  virtual void deallocate(void* data, std::size_t bytes) noexcept = 0;
  /// Gives what is kept back to the system.
  virtual void empty_cache() = 0;

  virtual MemoryStats stats() const = 0;
  /// The peaks begin anew at what is in use.
  virtual void reset_peak() = 0;
};

/// The allocator of a device; a TensorError when there is no such device.
Allocator& allocator(Device device);

}  // namespace lectern
