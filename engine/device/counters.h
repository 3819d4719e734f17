#pragma once

#include <cstdint>

namespace lectern {

/// What operations cost by their formulas: floating-point operations, and bytes read and written.
struct Counters {
  std::int64_t flops = 0;
  std::int64_t bytes = 0;

  friend constexpr Counters operator-(Counters a, Counters b) {
    return {a.flops - b.flops, a.bytes - b.bytes};
  }
  friend constexpr bool operator==(Counters, Counters) = default;
};

namespace detail {
extern constinit thread_local Counters counters;
}

/// Every operation says what it costs; a few nanoseconds.
inline void count(std::int64_t flops, std::int64_t bytes) {
  detail::counters.flops += flops;
  detail::counters.bytes += bytes;
}

/// What the operations that this thread called have cost, whichever device or threads they ran on, since it
/// began or since its last reset_counters.
inline Counters counters() {
  return detail::counters;
}
inline void reset_counters() {
  detail::counters = {};
}

/// What the operations cost that this thread called since the scope began.
class CountScope {
 public:
  Counters counted() const { return counters() - start_; }

 private:
  Counters start_ = counters();
};

}  // namespace lectern
