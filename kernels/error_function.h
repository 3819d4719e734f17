#pragma once

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
