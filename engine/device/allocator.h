#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "device/device.h"
#include "device/memory_category.h"

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
  /// Returns whether it is a new peak.
  bool add(std::size_t bytes) noexcept {
    const auto amount = static_cast<std::int64_t>(bytes);
    const std::int64_t sum = sum_.fetch_add(amount, std::memory_order_relaxed) + amount;
    raise(lap_, sum);
    return raise(peak_, sum);
  }
  void subtract(std::size_t bytes) noexcept {
    sum_.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }
  void reset_peak() noexcept { peak_.store(sum(), std::memory_order_relaxed); }
  /// Returns whether this is a new peak.
  bool raise_peak(std::int64_t sum) noexcept { return raise(peak_, sum); }

  std::int64_t sum() const noexcept { return sum_.load(std::memory_order_relaxed); }
  std::int64_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  /// The peak since the last call, whatever reset_peak() did.
  std::int64_t take_lap() noexcept { return lap_.exchange(sum(), std::memory_order_relaxed); }

 private:
  static bool raise(std::atomic<std::int64_t>& peak, std::int64_t sum) noexcept {
    std::int64_t known = peak.load(std::memory_order_relaxed);
    while (sum > known) {
      if (peak.compare_exchange_weak(known, sum, std::memory_order_relaxed)) return true;
    }
    return false;
  }

  std::atomic<std::int64_t> sum_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::int64_t> lap_{0};
};

/// Bytes in use by category, now and at the peak of their sum. Thread safe; the parts of a peak that another
/// thread raises meanwhile may be those of a moment later.
class CategorizedCounter {
 public:
  /// Of the category temporary.
  void add(std::size_t bytes) noexcept {
    if (sum_.add(bytes)) keep_peak();
  }
  void subtract(std::size_t bytes) noexcept { sum_.subtract(bytes); }
  void move(std::size_t bytes, MemoryCategory from, MemoryCategory to) noexcept {
    change(from, -static_cast<std::int64_t>(bytes));
    change(to, static_cast<std::int64_t>(bytes));
  }
  void reset_peak() noexcept {
    sum_.reset_peak();
    keep_peak();
  }
  /// A peak from before a reset counts again.
  void raise_peak(const MemoryByCategory& peak) noexcept {
    if (!sum_.raise_peak(peak.total())) return;
    for (std::size_t i = 0; i < kKept; ++i) peak_[i].store(peak.bytes[i], std::memory_order_relaxed);
  }

  std::int64_t sum() const noexcept { return sum_.sum(); }
  std::int64_t peak() const noexcept { return sum_.peak(); }
  std::int64_t take_lap() noexcept { return sum_.take_lap(); }
  MemoryByCategory now() const noexcept { return parts(parts_, sum_.sum()); }
  MemoryByCategory at_peak() const noexcept { return parts(peak_, sum_.peak()); }

 private:
  /// All but the last, temporary, which is what remains.
  static constexpr std::size_t kKept = kMemoryCategories.size() - 1;
  using Parts = std::array<std::atomic<std::int64_t>, kKept>;

  void change(MemoryCategory category, std::int64_t bytes) noexcept {
    if (category != MemoryCategory::temporary)
      parts_[static_cast<std::size_t>(category)].fetch_add(bytes, std::memory_order_relaxed);
  }
  void keep_peak() noexcept {
    for (std::size_t i = 0; i < kKept; ++i)
      peak_[i].store(parts_[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  static MemoryByCategory parts(const Parts& kept, std::int64_t total) noexcept {
    MemoryByCategory all;
    all.bytes.back() = total;
    for (std::size_t i = 0; i < kKept; ++i) {
      all.bytes[i] = kept[i].load(std::memory_order_relaxed);
      all.bytes.back() -= all.bytes[i];
    }
    return all;
  }

  PeakCounter sum_;
  Parts parts_{}, peak_{};
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
  /// What is allocated, by category: everything is temporary until it is said to be something else.
  MemoryByCategory by_category() const { return allocated_.now(); }
  MemoryByCategory by_category_at_peak() const { return allocated_.at_peak(); }
  void move_category(std::size_t bytes, MemoryCategory from, MemoryCategory to) noexcept {
    allocated_.move(bytes, from, to);
  }
  /// After reset_peak(): a peak from before it counts again.
  void raise_peak(const MemoryByCategory& peak) noexcept { allocated_.raise_peak(peak); }
  /// Resets the peaks to the current use.
  void reset_peak() {
    allocated_.reset_peak();
    reserved_.reset_peak();
  }
  /// The peak of allocated bytes since the last call.
  std::int64_t take_lap() { return allocated_.take_lap(); }

 protected:
  [[noreturn]] void throw_out_of_memory(const std::string& device, std::size_t requested) const;

  CategorizedCounter allocated_;
  PeakCounter reserved_;
};

/// The allocator of a device; throws TensorError for an unknown one.
Allocator& allocator(Device device);

}  // namespace lectern
