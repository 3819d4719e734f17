#pragma once

#include <cstdint>
#include <limits>

#include "base/host_device.h"
#include "kernels/exp_log.h"
#include "kernels/math.h"

namespace lectern::math {

/// base^exponent by squaring, modulo 2^64. For a negative exponent the truncated reciprocal: 1, -1 or 0; so 0
/// for the base 0 too, as in PyTorch.
LECTERN_HD std::int64_t pow(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  std::uint64_t result = 1;
  std::uint64_t square = static_cast<std::uint64_t>(base);
  for (std::int64_t left = exponent; left > 0; left >>= 1) {
    if ((left & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<std::int64_t>(result);
}

/// Through exp and log in double, with 20 bits more than a float has: the result is almost always correctly
/// rounded. Special cases are those of IEEE 754's pow. Branch-free.
LECTERN_HD float pow(float base, float exponent) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float size = abs(base);
  const auto power = static_cast<float>(exp(static_cast<double>(exponent) * log(static_cast<double>(size))));
  const bool negative = __builtin_bit_cast(std::int32_t, base) < 0;
  const bool integer = floor(exponent) == exponent;
  const float half = exponent * 0.5F;
  const bool odd = integer && floor(half) != half;
  float result = negative && odd ? -power : power;
  result = base < 0 && base > -kInfinity && !integer ? std::numeric_limits<float>::quiet_NaN() : result;
  const bool one = exponent == 0 || base == 1 || (base == -1 && abs(exponent) == kInfinity);
  return one ? 1.0F : result;
}

}  // namespace lectern::math
