#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "base/host_device.h"
#include "kernels/elementwise.h"
#include "kernels/exponential_functors.h"
#include "kernels/reduction_functors.h"
#include "kernels/reduction_table.h"

// Scans: running sums and their like along a dimension, of any dtypes and strides. Floats are accumulated in
// double and rounded at each element, so that errors do not grow along a line. O(elements).
//
// On the CPU lines that are not contiguous or of another dtype pass through a scratch buffer of up to 16
// lines per thread. Uses all OpenMP threads above 32,768 elements, a line each; results do not depend on the
// thread count. On a GPU a line goes to a warp or a block, and where there are few lines they are cut into
// parts, whose totals come first; short lines, those that lie side by side and those of logcumsumexp go to a
// thread for each of up to √n parts of n elements.

namespace lectern::kernels {

enum class Scan : std::uint8_t { LECTERN_SCANS(LECTERN_NAME) };

/// out[i] = in[0] + … + in[i], for cumsum, or, in `reverse`, in[i] + … + in[last], computed in the compute
/// type of `common`. `out` is row-major and overlaps no input.
LECTERN_KERNEL(void, scan, Scan operation, Dtype common, std::span<const std::int64_t> sizes, std::size_t dim,
               const Array& out, const Array& in, bool reverse);

/// What elements of a compute type are accumulated in.
template <ComputeType T>
using Accumulated = std::conditional_t<std::is_same_v<T, float>, double, T>;

/// ln of a sum of e^x.
template <RealComputeType T>
struct LogSum : Fold<T, LogAddExp> {
  LECTERN_HD static T start() { return -std::numeric_limits<T>::infinity(); }
};

/// Calls visit(functor) with the functor of a scan over T, which has one.
template <ComputeType T, typename Visit>
auto visit_scan(Scan operation, Visit&& visit) {
  switch (operation) {
#define LECTERN_ROW(name, Functor, autocast)                                                               \
  case Scan::name:                                                                                         \
    if constexpr (requires { typename Functor<Accumulated<T>>; }) return visit(Functor<Accumulated<T>>{}); \
    break;
    LECTERN_SCANS(LECTERN_ROW)
#undef LECTERN_ROW
  }
  __builtin_unreachable();
}

/// Accumulates the elements `begin` … `end` - 1 of a line of `length`, counted from the end in `reverse`;
/// write(i, state) gets each partial result.
template <ComputeType T, typename Functor, typename In, typename Write>
LECTERN_HD Accumulated<T> scan_run(Accumulated<T> state, std::int64_t begin, std::int64_t end,
                                   std::int64_t length, bool reverse, const In& in, const Write& write) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t at = reverse ? length - 1 - i : i;
    state = Functor::merge(state, static_cast<Accumulated<T>>(in[at]));
    write(at, static_cast<T>(state));
  }
  return state;
}

}  // namespace lectern::kernels
