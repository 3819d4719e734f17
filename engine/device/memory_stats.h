#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace lectern {

/// What an allocator has handed out and holds, in bytes.
struct MemoryStats {
  std::int64_t allocated = 0;      ///< in use, as asked for
  std::int64_t max_allocated = 0;  ///< the peak since the last reset
  std::int64_t reserved = 0;       ///< obtained from the system: in use, rounded up, and cached
  std::int64_t max_reserved = 0;
};

/// A sum with its peak. Thread safe.
class PeakCounter {
 public:
  void add(std::int64_t amount) noexcept {
    const std::int64_t sum = sum_.fetch_add(amount, std::memory_order_relaxed) + amount;
    std::int64_t peak = peak_.load(std::memory_order_relaxed);
    while (sum > peak && !peak_.compare_exchange_weak(peak, sum, std::memory_order_relaxed)) {
    }
  }
  void subtract(std::int64_t amount) noexcept { sum_.fetch_sub(amount, std::memory_order_relaxed); }
  void reset_peak() noexcept { peak_.store(sum(), std::memory_order_relaxed); }

  std::int64_t sum() const noexcept { return sum_.load(std::memory_order_relaxed); }
  std::int64_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> sum_{0};
  std::atomic<std::int64_t> peak_{0};
};

/// "1.50 GiB", "12 bytes".
std::string format_bytes(std::int64_t bytes);

/// The message when out of memory: the bytes asked for, in use and cached.
std::string out_of_memory_message(const std::string& where, std::size_t asked, const MemoryStats& stats);

}  // namespace lectern
