#pragma once

#include <cstdint>
#include <utility>

// The cost of operations, by formulas of shapes and dtypes alone.
//
// Floating-point operations: an addition, multiplication, division, comparison or function of an element
// counts 1, whatever the dtype, a multiply-add 2. Work done once per row or per reduced result, such as the
// square root of a variance, counts nothing.
//
// Bytes: inputs are read once, the result is written once; in place it is read and written. A tensor with
// repeated elements counts those in memory; a tensor passed twice counts twice, a C++ scalar not at all;
// indexed elements count each time. Workspace does not count, such as a copy that a kernel needs of elements
// that lie apart, nor do reads by checks of arguments. For a result of no elements nothing is read.
//
// Views cost nothing. Copies, conversions, fills, random numbers, indexing and sorting move bytes and compute
// nothing. Fused operations have formulas of their own, in their headers; all others cost as much as the
// operations they consist of. So do gradients, when they are computed: an operand that needs none costs
// nothing, unless the header says that gradients come together.

namespace lectern {

/// The cost of operations: floating-point operations, and bytes read and written.
struct Counters {
  std::int64_t flops = 0;
  std::int64_t bytes = 0;

  friend constexpr Counters operator-(Counters a, Counters b) {
    return {a.flops - b.flops, a.bytes - b.bytes};
  }
  friend constexpr bool operator==(Counters, Counters) = default;
};

namespace detail {
inline constinit thread_local Counters counters;
}

/// Called by every operation; takes a few nanoseconds.
inline void count(std::int64_t flops, std::int64_t bytes) {
  detail::counters.flops += flops;
  detail::counters.bytes += bytes;
}

/// The cost of the operations called by this thread, on whichever device or threads they ran, since it began
/// or since its last reset_counters.
inline Counters counters() {
  return detail::counters;
}
inline void reset_counters() {
  detail::counters = {};
}

/// The cost of the operations called by this thread since the scope began.
class CountScope {
 public:
  Counters counted() const { return counters() - start_; }

 private:
  Counters start_ = counters();
};

class UncountedScope;
namespace detail {
inline constinit thread_local UncountedScope* uncounted_scope = nullptr;
}

/// What this thread counts until the end of the scope is forgotten.
class UncountedScope {
 public:
  UncountedScope() : before_(counters()), outer_(std::exchange(detail::uncounted_scope, this)) {}
  ~UncountedScope() {
    detail::counters = before_;
    detail::uncounted_scope = outer_;
  }
  UncountedScope(const UncountedScope&) = delete;
  UncountedScope& operator=(const UncountedScope&) = delete;

 private:
  friend void count_outside(std::int64_t flops, std::int64_t bytes);

  Counters before_;
  UncountedScope* outer_;
};

/// Whether this thread is in such a scope.
inline bool is_uncounted() {
  return detail::uncounted_scope != nullptr;
}

/// Counts in spite of such scopes: what was called outside of them, and is computed only now.
inline void count_outside(std::int64_t flops, std::int64_t bytes) {
  count(flops, bytes);
  for (UncountedScope* scope = detail::uncounted_scope; scope != nullptr; scope = scope->outer_) {
    scope->before_.flops += flops;
    scope->before_.bytes += bytes;
  }
}

/// call(), not counted: for an operation that has its own formula and is composed of others, and for whoever
/// inspects values.
template <typename Call>
auto uncounted(const Call& call) {
  const UncountedScope scope;
  return call();
}

}  // namespace lectern
