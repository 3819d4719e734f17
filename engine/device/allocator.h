#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "device/device.h"

namespace lectern {

/// What an allocator has handed out and holds, in bytes.
struct MemoryStats {
  std::int64_t allocated = 0;      ///< in use, as requested
  std::int64_t max_allocated = 0;  ///< the peak since the last reset
  std::int64_t reserved = 0;       ///< obtained from the system: in use, rounded up, and cached
  std::int64_t max_reserved = 0;
};

/// A sum with its peaks. Thread safe.
class PeakCounter {
 public:
  void add(std::size_t bytes) noexcept {
    const auto amount = static_cast<std::int64_t>(bytes);
    const std::int64_t sum = sum_.fetch_add(amount, std::memory_order_relaxed) + amount;
    raise(peak_, sum);
    raise(lap_, sum);
  }
  void subtract(std::size_t bytes) noexcept {
    sum_.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }
  void reset_peak() noexcept { peak_.store(sum(), std::memory_order_relaxed); }

  std::int64_t sum() const noexcept { return sum_.load(std::memory_order_relaxed); }
  std::int64_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  /// The peak since the last call, whatever reset_peak() did.
  std::int64_t take_lap() noexcept { return lap_.exchange(sum(), std::memory_order_relaxed); }

 private:
  static void raise(std::atomic<std::int64_t>& peak, std::int64_t sum) noexcept {
    std::int64_t known = peak.load(std::memory_order_relaxed);
    while (sum > known && !peak.compare_exchange_weak(known, sum, std::memory_order_relaxed)) {
    }
  }

  std::atomic<std::int64_t> sum_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::int64_t> lap_{0};
};

/// A caching allocator for the tensors of one device. Thread safe.
class Allocator {
 public:
  virtual ~Allocator() = default;

  /// At least `bytes` bytes, aligned to 64 (CPU) or 256 (CUDA); nullptr for 0. Out of memory: a TensorError
  /// with the bytes requested, allocated and cached.
  virtual void* allocate(std::size_t bytes) = 0;
  /// `bytes` as requested.
  virtual void deallocate(void* data, std::size_t bytes) noexcept = 0;
  /// Returns cached memory to the system.
  virtual void empty_cache() = 0;

  MemoryStats stats() const {
    return {allocated_.sum(), allocated_.peak(), reserved_.sum(), reserved_.peak()};
  }
  /// Resets the peaks to the current use.
  void reset_peak() {
    allocated_.reset_peak();
    reserved_.reset_peak();
  }
  /// The peak of allocated bytes since the last call.
  std::int64_t take_lap() { return allocated_.take_lap(); }

 protected:
  [[noreturn]] void throw_out_of_memory(const std::string& device, std::size_t requested) const;

  PeakCounter allocated_, reserved_;
};

/// The allocator of a device; throws TensorError for an unknown one.
Allocator& allocator(Device device);

}  // namespace lectern
