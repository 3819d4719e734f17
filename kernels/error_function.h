#pragma once

#include <cstdint>
#include <limits>

#include "base/host_device.h"
#include "kernels/exp_log.h"
#include "kernels/math.h"

// The error function and the normal distribution: for floats as branch-free polynomials, for doubles by the
// library. For floats: within 8 ulp, the tails included (where 1 + erf(x) has lost everything); the normal
// distribution is 0 instead of subnormal. Coefficients: fits with 40 to 60 digits.

namespace lectern::math {

/// e^(z²) erfc(z) / 2 for 0 <= z <= 9.4, 1/2 at 0 and finite beyond: a polynomial in (z - 3.1) / (z + 3.1).
/// `middle` is the `size` where z is 3.1.
LECTERN_HD float half_scaled_erfc(float size, float middle) {
#ifdef __CUDA_ARCH__
  // A division takes longer than all the rest. This is it within 1 ulp, the size bounded so as to be finite.
  const float sum = fminf(size, 0x1p60F) + middle;
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(sum));
  reciprocal = fma(fma(-sum, reciprocal, 1.0F), reciprocal, reciprocal);
  const float t = fma(-2.0F * middle, reciprocal, 1.0F);
#else
  const float t = -2.0F * middle / (size + middle) + 1.0F;
#endif
  return horner(t, -0x1.5aabap-12F, 0x1.80f168p-14F, 0x1.ab81acp-9F, -0x1.d73444p-7F, 0x1.3b2b24p-5F,
                -0x1.39df4p-4F, 0x1.f2888cp-4F, -0x1.45da3cp-3F, 0x1.63c67ap-4F);
}
inline constexpr float kErfcMiddle = 0x1.8cccccp1F;
inline constexpr float kNormalMiddle = 0x1.189478p2F;  ///< √2 times that: z = size / √2

/// factor e^(-scale size²), 0 where the exponential is subnormal; scale is 1 or 1/2. The square is exact.
LECTERN_HD float gaussian(float size, float scale, float factor = 1.0F) {
  const float scaled = scale * size;
  const float square = scaled * size;
  const float shifted = fma(square, -0x1.715476p0F, FloatExponent::kRound);
  const float n = shifted - FloatExponent::kRound;
  // As in reduce_exponent().
  const float r = fma(n, -0x1.7f7d1cp-20F, fma(-scaled, size, n * -0x1.62e4p-1F));
  const float power = factor * rough_power(r);
  return square > -kLowestExponent
             ? 0.0F
             : power * __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, shifted) << 23);
}

/// erfc(|x|), with subnormals: the exponential is applied in two steps.
LECTERN_HD float erfc_size(float x) {
  const float size = abs(x);
  const float square = size * size;
  const float shifted = fma(square, -0x1.715476p0F, FloatExponent::kRound);
  const float n = shifted - FloatExponent::kRound;
  const float r = fma(n, -0x1.7f7d1cp-20F, fma(-size, size, n * -0x1.62e4p-1F));
  const float digits = 2.0F * rough_power(r) * half_scaled_erfc(size, kErfcMiddle);
  const std::uint32_t exponent =
      __builtin_bit_cast(std::uint32_t, shifted) - __builtin_bit_cast(std::uint32_t, FloatExponent::kRound);
  const std::uint32_t half = static_cast<std::uint32_t>(static_cast<std::int32_t>(exponent) >> 1);
  const float tail = digits * __builtin_bit_cast(float, (half + 127U) << 23) *
                     __builtin_bit_cast(float, (exponent - half + 127U) << 23);
  return size > 10.1F ? 0.0F : tail;
}

/// erf(x) / x for x² up to kErfSeriesEnd².
LECTERN_HD float erf_series(float square) {
  return horner(square, -0x1.4ba372p-11F, 0x1.4b2706p-8F, -0x1.b7271ap-6F, 0x1.ce2432p-4F, -0x1.81271cp-2F,
                0x1.20dd74p0F);
}
inline constexpr float kErfSeriesEnd = 0.85F;

LECTERN_HD float erf(float x) {
  const float near_zero = x * erf_series(x * x);
  const float far = copysign(1.0F - erfc_size(x), x);
  return abs(x) < kErfSeriesEnd ? near_zero : far;
}

LECTERN_HD float erfc(float x) {
  const float tail = erfc_size(x);
  return x < 0 ? 2.0F - tail : tail;
}

/// Its inverse: PyTorch's rational approximation, then Newton steps; in the tails on erfc(), which keeps the
/// digits of 1 - |x|.
LECTERN_HD double erfinv(double x) {
  const double size = abs(x), tail = 1.0 - size;
  if (!(size < 1.0)) {
    return size == 1.0 ? copysign(std::numeric_limits<double>::infinity(), x)
                       : std::numeric_limits<double>::quiet_NaN();
  }
  const bool central = size <= 0.7;
  const double z = central ? x * x : sqrt(-log(tail / 2.0));
  double y = central ? size * horner(z, -0.140543331, 0.914624893, -1.645349621, 0.886226899) /
                           horner(z, 0.012229801, -0.329097515, 1.442710462, -2.118377725, 1.0)
                     : horner(z, 1.641345311, 3.429567803, -1.624906493, -1.970840454) /
                           horner(z, 1.637067800, 3.543889200, 1.0);
  for (int step = 0; step < 3; ++step) {
    const double error = central ? erf(y) - size : tail - erfc(y);
    y -= error / (0x1.20dd750429b6dp0 * exp(-y * y));  // 2 / √π
  }
  return copysign(y, x);
}
LECTERN_HD float erfinv(float x) {
  return static_cast<float>(erfinv(static_cast<double>(x)));
}

/// The normal distribution at x: its density times √(2π), and the probability below x.
template <typename T>
struct Normal {
  T density;
  T probability;
};

LECTERN_HD Normal<float> normal_at(float x) {
  const float size = abs(x), density = gaussian(size, 0.5F);
  const float tail = density * half_scaled_erfc(size, kNormalMiddle);
  return {density, x < 0 ? tail : 1.0F - tail};
}
LECTERN_HD Normal<double> normal_at(double x) {
  return {exp(-0.5 * x * x), 0.5 * erfc(x * -0x1.6a09e667f3bcdp-1)};
}

/// x Φ(x), with the normal distribution Φ: for positive x as x - x times the tail.
LECTERN_HD float gelu(float x) {
  const float size = abs(x);
  const float positive = fma(0.5F, x, 0.5F * size);
  return fma(-gaussian(size, 0.5F, size), half_scaled_erfc(size, kNormalMiddle), positive);
}
LECTERN_HD double gelu(double x) {
  return x * normal_at(x).probability;
}

}  // namespace lectern::math
