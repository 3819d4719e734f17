#pragma once

#include <limits>

#include "base/host_device.h"
#include "kernels/exp_log.h"
#include "kernels/math.h"

// The derivatives of ln Γ, in double: from ten on by asymptotic series, below by recurrence to there, and for
// negative arguments by reflection. Within a few ulp, less near their zeros. Coefficients: Bernoulli numbers.

namespace lectern::math {

/// The first derivative, ψ(x). At 0 an infinity, as from the side of its sign; NaN at negative integers.
LECTERN_HD double digamma(double x) {
  double at = x < 0 ? 1.0 - x : x;
  double y = 0;
  for (; at < 10.0; at += 1.0) y -= 1.0 / at;
  const double z = 1.0 / (at * at);
  y += log(at) - 0.5 / at -
       z * horner(z, 1.0 / 12, -691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12);
  if (!(x < 0)) return y;
  constexpr double kPi = 3.141592653589793238462643383279502884;
  const double fraction = x - trunc(x);
  return fraction == 0 ? std::numeric_limits<double>::quiet_NaN() : y - kPi / tan(kPi * fraction);
}

/// The second one, ψ'(x).
LECTERN_HD double trigamma(double x) {
  double at = x < 0 ? 1.0 - x : x;
  double y = 0;
  for (; at < 10.0; at += 1.0) y += 1.0 / (at * at);
  const double z = 1.0 / (at * at);
  y += (1.0 + 0.5 / at +
        z * horner(z, 7.0 / 6, -691.0 / 2730, 5.0 / 66, -1.0 / 30, 1.0 / 42, -1.0 / 30, 1.0 / 6)) /
       at;
  if (!(x < 0)) return y;
  constexpr double kPi = 3.141592653589793238462643383279502884;
  const double ratio = kPi / sin(kPi * (x - trunc(x)));
  return ratio * ratio - y;
}

}  // namespace lectern::math
