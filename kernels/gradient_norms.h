#pragma once

#include <cstdint>
#include <span>

#include "base/dtype.h"
#include "base/host_device.h"
#include "kernels/kernel.h"
#include "kernels/reduction_functors.h"
#include "kernels/row.h"

// The norm of the elements of many arrays as one vector, and scaling them by it: gradient clipping. On a GPU
// each is one launch for all arrays, and the host does not wait.

namespace lectern::kernels {

enum class TotalNorm : std::uint8_t { one, two, infinity };

struct ToDouble {
  template <RealComputeType C>
  LECTERN_HD double operator()(C x) const {
    return static_cast<double>(x);
  }
};

/// A row's contribution to the norm: the sum of its magnitudes or squares, or the largest magnitude; in
/// double, so that squares of floats neither overflow nor underflow. Propagates NaN.
template <typename Group, typename In>
LECTERN_HD double norm_part(const Group& group, std::int64_t count, TotalNorm kind, const In& x) {
  if (kind == TotalNorm::one) return fold_row<SumAbs<double>>(group, count, ToDouble{}, x);
  if (kind == TotalNorm::two) return fold_row<Norm2<double>>(group, count, ToDouble{}, x);
  return fold_row<MaxAbs<double>>(group, count, ToDouble{}, x);
}

/// The norm from the parts of all rows.
template <typename Group, typename Parts>
LECTERN_HD double norm_from_parts(const Group& group, std::int64_t count, TotalNorm kind,
                                  const Parts& parts) {
  if (kind == TotalNorm::infinity) return fold_row<MaxAbs<double>>(group, count, Itself{}, parts);
  const double sum = fold_row<Sum<double>>(group, count, Itself{}, parts);
  return kind == TotalNorm::two ? math::sqrt(sum) : sum;
}

/// The factor for gradients of norm `total`: max_norm / (total + 1e-6), at most 1.
LECTERN_HD double clip_factor(double total, double max_norm) {
  const double factor = max_norm / (total + 1e-6);
  return factor > 1 ? 1 : factor;
}

/// A contiguous array of a floating dtype other than float8.
struct DenseArray {
  void* data;
  Dtype dtype;
  std::int64_t numel;
};

/// Writes the norm to `total`, a scalar of `dtype`: 0 if empty. On the CPU it is independent of threads and
/// instruction sets.
LECTERN_KERNEL(void, total_norm, TotalNorm kind, std::span<const DenseArray> arrays, void* total,
               Dtype dtype);

/// Multiplies the arrays by the clip_factor() of such a norm, in float for dtypes of 16 bits; if that is 1
/// nothing is read or written.
LECTERN_KERNEL(void, clip, std::span<const DenseArray> arrays, double max_norm, const void* total,
               Dtype dtype);

/// Both.
LECTERN_KERNEL(void, clip_by_norm, TotalNorm kind, std::span<const DenseArray> arrays, double max_norm,
               void* total, Dtype dtype);

}  // namespace lectern::kernels
