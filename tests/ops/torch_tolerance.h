#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/dtype.h"

// How far results may lie from PyTorch's: |ours - PyTorch's| <= rtol |PyTorch's| + atol, with the figures of
// the result's dtype times the factors of the row (and a step where numbers are subnormal). A row without
// factors is exact, to the bit; its factors say how much more than one rounding its operation leaves open,
// and a comment beside them why.

namespace lectern::test {

struct Tolerance {
  double rtol, atol;
  /// The distance from 0 to the next number of the dtype: as exact as subnormal numbers are.
  double step;
  /// The largest factor that the dtype needs: what has fewer bits than 32 is computed in float32, where the
  /// order of additions and the like is not seen, and rounded once; PyTorch rounds some of it in between,
  /// too.
  double most;
};

/// Gradients are products of several numbers that were rounded: no row's factors are smaller for them, and
/// where they add up, atol is relative to the largest of them.
inline constexpr double kGradientFactor = 16;

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// One table for all rows. Relative: the distance from 1 to the next number of the dtype.
inline Tolerance tolerance(Dtype dtype) {
  switch (dtype) {
      // clang-format off
    case float64:       return {0x1p-52, 0x1p-52, 0x1p-1074, kUnlimited};
    case float32:       return {0x1p-23, 0x1p-23, 0x1p-149,  kUnlimited};
    case float16:       return {0x1p-10, 0x1p-10, 0x1p-24,   8};
    case bfloat16:      return {0x1p-7,  0x1p-7,  0x1p-133,  8};
    case float8_e4m3fn: return {0x1p-3,  0x1p-9,  0x1p-9,    1};
    case float8_e5m2:   return {0x1p-2,  0x1p-16, 0x1p-16,   1};
    default:            return {0, 0, 0, 0};
      // clang-format on
  }
}

/// Whether `ours` is near enough to PyTorch's, of numbers of about the size `scale`; NaN is near NaN.
inline bool near_enough(double ours, double torch, Dtype dtype, double rtol_factor, double atol_factor,
                        double scale) {
  const bool same = ours == torch || (ours != ours && torch != torch);
  const Tolerance of = tolerance(dtype);
  const double rtol = std::min(rtol_factor, of.most);
  const double atol = of.atol * std::min(atol_factor, of.most) * scale;
  return same || std::abs(ours - torch) <= rtol * (of.rtol * std::abs(torch) + of.step) + atol;
}

}  // namespace lectern::test
