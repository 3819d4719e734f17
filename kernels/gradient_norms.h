#pragma once

#include <cstdint>
#include <span>

#include "base/host_device.h"
#include "kernels/reduction_functors.h"
#include "kernels/row.h"
#include "tensor/dtype.h"

// The norm of the numbers of many arrays as one vector, and scaling them by it: how gradients are clipped. On
// the CPU; kernels/cuda/gradient_norms.h has the same for a GPU.

namespace lectern::kernels {

enum class TotalNorm : std::uint8_t { one, two, infinity };

struct ToDouble {
  template <RealComputeType C>
  LECTERN_HD double operator()(C x) const {
    return static_cast<double>(x);
  }
};

/// What a row adds to the norm: the sum of its magnitudes or squares, or the largest magnitude; in double, so
/// that squares of floats neither overflow nor vanish. NaN where there is one.
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

/// What gradients of norm `total` are multiplied with: max_norm / (total + 1e-6), at most 1.
LECTERN_HD double clip_factor(double total, double max_norm) {
  const double factor = max_norm / (total + 1e-6);
  return factor > 1 ? 1 : factor;
}

/// Numbers of a floating dtype, but for float8, one after the other.
struct Numbers {
  void* data;
  Dtype dtype;
  std::int64_t numel;
};

/// The norm, which does not depend on threads or instruction sets. 0 of nothing.
double total_norm(TotalNorm kind, std::span<const Numbers> arrays);

/// Multiplies them with a factor, in float for dtypes of 16 bits.
void scale(std::span<const Numbers> arrays, double factor);

}  // namespace lectern::kernels
