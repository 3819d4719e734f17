#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace lectern::kernels {

/// How far `got` lies from the exact value, in units of the last place of the exact value's neighbours in T.
template <typename T>
double ulps(T got, long double exact) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  if (std::isnan(exact)) return std::isnan(got) ? 0 : kFar;
  const T nearest = static_cast<T>(exact);
  if (got == nearest) return 0;
  if (!std::isfinite(got) || !std::isfinite(nearest)) return kFar;
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const int last = std::max(exponent - std::numeric_limits<T>::digits,
                            std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / std::ldexp(1.0L, last));
}

}  // namespace lectern::kernels
