#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "base/host_device.h"
#include "kernels/exp_log.h"
#include "kernels/math.h"

// The arithmetic of PyTorch's random streams on the CPU, operation by operation: every fused multiply-add is
// explicit, so that the results are the same bits on every processor. Compile users with -ffp-contract=off.

namespace lectern::kernels {

/// The natural logarithm of a normal positive number: the polynomial of Cephes' logf (S. Moshier), with fused
/// steps as in PyTorch's vectorised normal_. It differs from math::log() in the last places.
LECTERN_HD float cephes_log(float value) {
  const auto bits = __builtin_bit_cast(std::int32_t, value);
  const float mantissa = __builtin_bit_cast(float, (bits & 0x007fffff) | 0x3f000000);  // in [1/2, 1)
  const bool small = mantissa < std::numbers::sqrt2_v<float> / 2;
  const float e = static_cast<float>((bits >> 23) - 126) - (small ? 1.0F : 0.0F);
  const float x = (mantissa - 1.0F) + (small ? mantissa : 0.0F);
  const float z = x * x;
  const float p = math::horner(x, 7.0376836292e-2F, -1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F,
                               1.4249322787e-1F, -1.6668057665e-1F, 2.0000714765e-1F, -2.4999993993e-1F,
                               3.3333331174e-1F);
  float y = math::fma(p * x, z, e * -2.12194440e-4F);
  y = math::fma(-z, 0.5F, y);
  return math::fma(e, 0.693359375F, x + y);
}

struct SinCos {
  float sin;
  float cos;
};

/// For angles from 0 to 8192: Cephes' sinf and cosf, fused likewise.
LECTERN_HD SinCos cephes_sincos(float angle) {
  const std::int32_t octant = (static_cast<std::int32_t>(angle * 1.27323954473516F) + 1) & ~1;
  const float octants = static_cast<float>(octant);
  float x = math::fma(octants, -0.78515625F, angle);
  x = math::fma(octants, -2.4187564849853515625e-4F, x);
  x = math::fma(octants, -3.77489497744594108e-8F, x);
  const float z = x * x;
  const float c = math::horner(z, 2.443315711809948e-5F, -1.388731625493765e-3F, 4.166664568298827e-2F) * z;
  const float s = math::horner(z, -1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F) * z;
  const float cosine = math::fma(c, z, -(z * 0.5F)) + 1.0F;
  const float sine = math::fma(s, x, x);
  const bool swap = (octant & 2) != 0;
  const auto sin_bits = __builtin_bit_cast(std::int32_t, swap ? cosine : sine);
  const auto cos_bits = __builtin_bit_cast(std::int32_t, swap ? sine : cosine);
  return {__builtin_bit_cast(float, sin_bits ^ (octant & 4) << 29),
          __builtin_bit_cast(float, cos_bits ^ (~(octant - 2) & 4) << 29)};
}

/// The inverse error function of `y` in [-1, 1]: a rational start and two steps of Newton's method (G.
/// Pavlis, after MATLAB's erfinv), as in PyTorch.
template <typename T>
LECTERN_HD T erfinv(T y) {
  const T size = std::abs(y);
  if (size > 1) return std::numeric_limits<T>::quiet_NaN();
  if (size == 1) return std::copysign(std::numeric_limits<T>::infinity(), y);
  T x;
  if (size <= T(0.7)) {
    const T z = y * y;
    const T top = math::horner(z, T(-0.140543331), T(0.914624893), T(-1.645349621), T(0.886226899));
    x = y * top / math::horner(z, T(0.012229801), T(-0.329097515), T(1.442710462), T(-2.118377725), T(1));
  } else {
    const T z = std::sqrt(-std::log((1 - size) / 2));
    const T top = math::horner(z, T(1.641345311), T(3.429567803), T(-1.624906493), T(-1.970840454));
    x = std::copysign(top, y) / math::horner(z, T(1.637067800), T(3.543889200), T(1));
  }
  const T slope = T(2) / static_cast<T>(std::sqrt(std::numbers::pi));
  for (int step = 0; step < 2; ++step) x = x - (std::erf(x) - y) / (slope * std::exp(-x * x));
  return x;
}

}  // namespace lectern::kernels
