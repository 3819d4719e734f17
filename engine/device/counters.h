#pragma once

#include <cstdint>

// What operations cost, by formulas that follow from shapes and dtypes alone.
//
// Floating-point operations: an addition, multiplication, division, comparison or function of a number counts
// 1, of whichever dtype, a multiply-add 2. What is done once for a row of numbers or a result of many, such
// as the root of a variance, counts nothing.
//
// Bytes: what an operation is given is read once, its result is written once; in place it is read and
// written. Of a tensor that repeats elements those count that lie in memory; a tensor that is given twice
// counts twice, a number of C++ not at all; what indices lead to counts each time. Workspace is left out, and
// so is what checks of arguments read.
//
// Views cost nothing. Copies, conversions, filling, random numbers, indexing and sorting move bytes and
// compute nothing. Fused operations have formulas of their own, in their headers; all others cost what the
// operations cost that they are made of. So do gradients, when they are computed: an operand that wants none
// costs nothing, unless the header says that gradients come together.

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

/// call(), of which nothing is counted: for an operation that has a formula of its own and is made of others,
/// and for whoever looks at numbers.
template <typename Call>
auto uncounted(const Call& call) {
  const struct Scope {
    Counters before = counters();
    ~Scope() { detail::counters = before; }
  } scope;
  return call();
}

}  // namespace lectern
