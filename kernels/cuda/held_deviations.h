#pragma once

#include <cstdint>

#include "kernels/cuda/line_access.h"
#include "kernels/cuda/reduction_target.h"
#include "kernels/norm_row.h"
#include "kernels/reduction_functors.h"
#include "kernels/reduction_geometry.h"

// Squared deviations of rows that a warp or a block holds in registers: about the row's mean, as on the CPU,
// in float. Longer rows would be read twice; theirs are in double (kernels/cuda/reduction_differences.h),
// whose conversions alone take a third of the time that memory does.

namespace lectern::kernels::cuda {

template <typename T>
struct HeldDeviationsKernel {
  using Functor = SquaredDeviations<float>;

  const std::byte* data;
  Target<Functor> target;
  Geometry kept;
  std::int64_t elements;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t result) const {
    const auto* const begin = reinterpret_cast<const T*>(data + element_offsets<1>(kept, result).at[0]);
    const HeldRow<T, Group::kHeld> row(group, WideRow<T>(const_cast<T*>(begin), elements));
    const float mean = Functor::Pivot::finish(fold_row<Sum<float>>(group, elements, Itself{}, row), elements);
    const DistanceFrom<float> distance{mean};
    const auto [rest, squares] =
        fold_row_twice<Sum<float>, SumOfSquares<float>>(group, elements, distance, distance, row);
    if (group.rank() == 0)
      target.put(kept, result, result, Functor::from_terms(mean, squares, elements, rest));
  }
};

/// Returns whether the elements of a result are contiguous, of type T, and few enough; if not, nothing was
/// launched.
template <typename T>
bool reduce_held_deviations(const ReductionGeometry& geometry, const Array& in,
                            const Target<SquaredDeviations<float>>& target) {
  const Geometry& reduced = geometry.reduced;
  if (in.dtype != dtype_of<T> || reduced.rank != 1 || reduced.strides[0][0] != sizeof(T)) return false;
  const HeldDeviationsKernel<T> kernel{static_cast<const std::byte*>(in.data), target, geometry.kept,
                                       reduced.numel};
  return launch_held_lines<T, LineUse{.rows = 1, .holds_long = false}>(geometry.kept.numel, reduced.numel,
                                                                       kernel);
}

}  // namespace lectern::kernels::cuda
