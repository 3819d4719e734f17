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

/// t / (t + 2) with t = e^(2 |x|) - 1, and the sign of x.
template <kernels::RealComputeType T>
LECTERN_HD T tanh(T x) {
  constexpr T kBound = sizeof(T) == 4 ? T(10) : T(20);  // tanh is 1 from there on
  const T size = abs(x);
  const T t = expm1(T(2) * (size > kBound ? kBound : size));
  return copysign(t / (t + T(2)), x);
}

}  // namespace lectern::math
