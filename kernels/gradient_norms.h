#pragma once

#include <cstdint>
#include <span>

#include "base/dtype.h"
#include "base/host_device.h"
#include "kernels/reduction_functors.h"
#include "kernels/row.h"

// The norm of the elements of many arrays as one vector, and scaling them by it: gradient clipping. On the
// CPU; kernels/cuda/gradient_norms.h has the same for a GPU.

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
LECTERN_HD double norm_of_parts(const Group& group, std::int64_t count, TotalNorm kind, const Parts& parts) {
  if (kind == TotalNorm::infinity) return fold_row<MaxAbs<double>>(group, count, Itself{}, parts);
  const double sum = fold_row<Sum<double>>(group, count, Itself{}, parts);
  return kind == TotalNorm::two ? sqrt_of(sum) : sum;
}

/// The factor for gradients of norm `total`: max_norm / (total + 1e-6), at most 1.
LECTERN_HD double clip_factor(double total, double max_norm) {
  const double factor = max_norm / (total + 1e-6);
  return factor > 1 ? 1 : factor;
}

/// A contiguous array of a floating dtype other than float8.
struct Numbers {
  void* data;
  Dtype dtype;
  std::int64_t numel;
};

/// The norm, independent of threads and instruction sets. 0 if empty.
double total_norm(TotalNorm kind, std::span<const Numbers> arrays);

/// Multiplies them by a factor, in float for dtypes of 16 bits.
void scale(std::span<const Numbers> arrays, double factor);

}  // namespace lectern::kernels
