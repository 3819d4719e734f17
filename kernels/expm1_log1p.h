#pragma once

#include <cstdint>
#include <limits>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/exp_log.h"
#include "kernels/math.h"

// e^x - 1, ln(1 + x) and tanh(x), precise near 0; made of the polynomials of kernels/exp_log.h, branch-free.
// Within 2 ulp (tanh: 3).

namespace lectern::math {

/// 2^n (e^r - 1) + (2^n - 1), through 2^(n - 1): 2^n may overflow.
LECTERN_HD float expm1(float x) {
  float bounded = x > 89.0F ? 89.0F : x;
  bounded = bounded < -20.0F ? -20.0F : bounded;
  const FloatExponent reduced = reduce_exponent(bounded);
  const float r = reduced.r;
  const float half = __builtin_bit_cast(float, (reduced.biased - 1U) << 23);
  const float y = 2.0F * fma(half, fma(r * r, power_series(r), r), half - 0.5F);
  return x == 0 ? x : y;
}

LECTERN_HD double expm1(double x) {
  double bounded = x > 710.0 ? 710.0 : x;
  bounded = bounded < -40.0 ? -40.0 : bounded;
  const auto [r, exponent, unused] = reduce_exponent(bounded);
  const double half = __builtin_bit_cast(double, (exponent + 1022U) << 52);
  const double y = 2.0 * fma(half, fma(r * r, power_series(r), r), half - 0.5);
  return x == 0 ? x : y;
}

/// ln(u) + error / u, where 1 + x = u + error exactly.
template <kernels::RealComputeType T>
LECTERN_HD T log1p(T x) {
  const T u = T(1) + x;
  const T added = u - T(1);
  const T error = (T(1) - (u - added)) + (x - added);
  const T y = log(u) + error / u;
  const bool regular = u > 0 && u < std::numeric_limits<T>::infinity() && x != 0;
  return regular ? y : x == 0 ? x : log(u);
}

/// w / (w + 1) with w = (e^(2 |x|) - 1) / 2, and the sign of x. As expm1() of 2 |x| = n ln(2) + 2r, where all
/// powers of two are in the coefficients, so that w has its digits.
LECTERN_HD float tanh(float x) {
  constexpr float kBound = 10;  // tanh is 1 from there on
  const float size = abs(x), bounded = size > kBound ? kBound : size;
  const float shifted = fma(bounded, 0x1.715476p1F, FloatExponent::kRound);
  const float n = shifted - FloatExponent::kRound;
  const float r = fma(n, -0x1.7f7d1cp-21F, fma(n, -0x1.62e4p-2F, bounded));
  const float power = __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, shifted) << 23);
  const float series = horner(r, 0x1.6d110ap-5F, 0x1.120b6ep-3F, 0x1.55551ap-2F, 0x1.5554dcp-1F, 1.0F);
  const float w = fma(power, fma(r * r, series, r), fma(power, 0.5F, -0.5F));
  return copysign(w / (w + 1.0F), x);
}

LECTERN_HD double tanh(double x) {
  constexpr double kBound = 20;
  const double size = abs(x);
  const double t = expm1(2 * (size > kBound ? kBound : size));
  return copysign(t / (t + 2), x);
}

}  // namespace lectern::math
