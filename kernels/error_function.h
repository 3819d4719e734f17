#pragma once

#include <limits>

#include "base/host_device.h"
#include "kernels/exp_log.h"
#include "kernels/math.h"

// The error function and the normal distribution: of floats as polynomials without branches, of doubles by
// the library. Of floats: within 7 units in the last place, the tails included (where 1 + erf(x) has lost
// everything), and 0 instead of subnormal numbers. Coefficients: Chebyshev fits, computed with 60 digits.

namespace lectern::kernels {

/// e^(z²) erfc(z) / 2 for 0 <= z <= 10.25, and finite beyond: (z + 3) times it is a polynomial in
/// t = (z - 3) / (z + 3).
LECTERN_HD float half_scaled_erfc(float z) {
  const float reciprocal = 1.0F / (z + 3.0F);
  const float t = fused(-6.0F, reciprocal, 1.0F);
  return reciprocal * horner(t, -0x1.5dedc2p-13F, -0x1.057e98p-12F, 0x1.937bfep-10F, -0x1.3f071cp-11F,
                             -0x1.b7b1aep-7F, 0x1.e9955ap-5F, -0x1.3deaf4p-3F, 0x1.2e326cp-2F,
                             -0x1.c44c48p-2F, 0x1.12f21ep-1F);
}

/// e^(-scale size²), 0 where that is subnormal; the scale is 1 or 1/2. The square is taken exactly.
LECTERN_HD float gaussian(float size, float scale) {
  const float scaled = -scale * size;
  const float square = scaled * size;
  FloatExponent reduced = exponent_of(square);
  reduced.r += fused(scaled, size, -square);
  return exp_of_term(square, reduced);
}

/// erfc(|x|); 0 where the Gaussian is.
LECTERN_HD float erfc_of_size(float x) {
  const float size = abs_of(x);
  return gaussian(size, 1.0F) * (2.0F * half_scaled_erfc(size));
}

LECTERN_HD float erf_of(float x) {
  const float s = x * x;
  const float near_zero = x * horner(s, -0x1.4ba372p-11F, 0x1.4b2706p-8F, -0x1.b7271ap-6F, 0x1.ce2432p-4F,
                                     -0x1.81271cp-2F, 0x1.20dd74p0F);
  const float far = copysign_of(1.0F - erfc_of_size(x), x);
  return abs_of(x) < 0.85F ? near_zero : far;
}
LECTERN_HD double erf_of(double x) {
  return library_erf(x);
}

LECTERN_HD float erfc_of(float x) {
  const float tail = erfc_of_size(x);
  return x < 0 ? 2.0F - tail : tail;
}
LECTERN_HD double erfc_of(double x) {
  return library_erfc(x);
}

/// Its inverse: a rational approximation, the one that PyTorch has, then steps of Newton; in the tails on
/// erfc(), which keeps the digits of 1 - |x|.
LECTERN_HD double erfinv_of(double x) {
  const double size = abs_of(x), tail = 1.0 - size;
  if (!(size < 1.0)) {
    return size == 1.0 ? copysign_of(std::numeric_limits<double>::infinity(), x)
                       : std::numeric_limits<double>::quiet_NaN();
  }
  const bool central = size <= 0.7;
  const double z = central ? x * x : sqrt_of(-log_of(tail / 2.0));
  double y = central ? size * horner(z, -0.140543331, 0.914624893, -1.645349621, 0.886226899) /
                           horner(z, 0.012229801, -0.329097515, 1.442710462, -2.118377725, 1.0)
                     : horner(z, 1.641345311, 3.429567803, -1.624906493, -1.970840454) /
                           horner(z, 1.637067800, 3.543889200, 1.0);
  for (int step = 0; step < 3; ++step) {
    const double error = central ? library_erf(y) - size : tail - library_erfc(y);
    y -= error / (0x1.20dd750429b6dp0 * exp_of(-y * y));  // 2 / √π
  }
  return copysign_of(y, x);
}
LECTERN_HD float erfinv_of(float x) {
  return static_cast<float>(erfinv_of(static_cast<double>(x)));
}

/// The normal distribution at x: its density times √(2π), and the probability of less than x.
template <typename T>
struct Normal {
  T density;
  T probability;
};

LECTERN_HD Normal<float> normal_at(float x) {
  const float size = abs_of(x), density = gaussian(size, 0.5F);
  const float tail = density * half_scaled_erfc(size * 0x1.6a09e6p-1F);
  return {density, x < 0 ? tail : 1.0F - tail};
}
LECTERN_HD Normal<double> normal_at(double x) {
  return {exp_of(-0.5 * x * x), 0.5 * library_erfc(x * -0x1.6a09e667f3bcdp-1)};
}

}  // namespace lectern::kernels
