#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/host_device.h"
#include "kernels/elementwise.h"
#include "kernels/fold_functors.h"

// Running sums along a dimension of CPU arrays, of any dtypes and strides. Floats are summed in double and
// rounded at each element, so that errors do not grow along a line. Lines that are not contiguous or of
// another dtype pass through a scratch buffer of up to 16 lines per thread. Uses all OpenMP threads above
// 32,768 elements, a line each; results do not depend on the thread count. O(elements).

namespace lectern::kernels {

/// out[i] = in[0] + … + in[i] or, in `reverse`, in[i] + … + in[last], computed in the compute type of
/// `common`. `out` is row-major and overlaps no input.
LECTERN_KERNEL(void, cumsum, Dtype common, std::span<const std::int64_t> sizes, std::size_t dim,
               const Array& out, const Array& in, bool reverse);

/// The accumulator of a compute type.
template <ComputeType T>
struct RunningSum {
  using type = T;
};
template <>
struct RunningSum<float> {
  using type = double;
};

/// Sums the elements `begin` … `end` - 1 of a line of `length`, counted from the end in `reverse`; put(i,
/// sum) gets each partial sum.
template <ComputeType T, typename In, typename Put>
LECTERN_HD typename RunningSum<T>::type cumsum_run(typename RunningSum<T>::type sum, std::int64_t begin,
                                                   std::int64_t end, std::int64_t length, bool reverse,
                                                   const In& in, const Put& put) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t at = reverse ? length - 1 - i : i;
    sum = Add{}(sum, static_cast<typename RunningSum<T>::type>(in[at]));
    put(at, static_cast<T>(sum));
  }
  return sum;
}

}  // namespace lectern::kernels
