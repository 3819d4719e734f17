#pragma once

#include <cstdint>
#include <limits>

#include "base/host_device.h"
#include "kernels/math.h"

// The exponential and the logarithm as branch-free polynomials, so that loops of them vectorise, and with
// every fused multiply-add explicit, so that host and device and all instruction sets give the same bits.
// Within 1 ulp; infinities, NaN, zeros and subnormals as in the C library. Coefficients: Chebyshev fits on
// the reduced intervals, computed with 60 digits. Compile users with -ffp-contract=off and
// -fno-trapping-math.

namespace lectern::math {

/// The polynomial with these coefficients, highest power first.
template <typename T, typename... Rest>
LECTERN_HD T horner(T x, T sum, T next, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return fma(sum, x, next);
  } else {
    return horner(x, fma(sum, x, next), rest...);
  }
}

/// x = exponent ln(2) + r with |r| <= ln(2) / 2.
struct FloatExponent {
  /// A float this large has no digits after the point, and n + 127 in its lowest bits.
  static constexpr float kRound = 0x1.8p23F + 127.0F;

  float r;
  std::uint32_t biased;  ///< the exponent of a float that is 2^n, in the lowest bits

  LECTERN_HD std::uint32_t exponent() const { return biased - __builtin_bit_cast(std::uint32_t, kRound); }
};
struct DoubleExponent {
  double r;
  std::uint64_t exponent;
  std::uint64_t half;  ///< of the exponent: AVX2 has no arithmetic shift of 64 bits
};

/// For |x| up to 1,000. NaN stays in r.
LECTERN_HD FloatExponent reduce_exponent(float x) {
  const float shifted = fma(x, 0x1.715476p0F, FloatExponent::kRound);
  const float n = shifted - FloatExponent::kRound;
  // The high part of ln(2) is short, so that n times it is exact.
  const float r = fma(n, -0x1.62e4p-1F, x);
  return {fma(n, -0x1.7f7d1cp-20F, r), __builtin_bit_cast(std::uint32_t, shifted)};
}

LECTERN_HD DoubleExponent reduce_exponent(double x) {
  constexpr double kRound = 0x1.8p52;
  const double shifted = fma(x, 0x1.71547652b82fep0, kRound);
  const double n = shifted - kRound;
  const double r = fma(n, -0x1.62e42ffp-1, x);
  // n and half of it as integers, by the same addition.
  const double shifted_half = fma(n, 0.5, kRound);
  const std::uint64_t round_bits = __builtin_bit_cast(std::uint64_t, kRound);
  return {fma(n, 0x1.718432a1b0e26p-35, r), __builtin_bit_cast(std::uint64_t, shifted) - round_bits,
          __builtin_bit_cast(std::uint64_t, shifted_half) - round_bits};
}

/// q in e^r = 1 + r + r² q.
LECTERN_HD float power_series(float r) {
  return horner(r, 0x1.6d110ap-10F, 0x1.120b6ep-7F, 0x1.55551ap-5F, 0x1.5554dcp-3F, 0.5F);
}
LECTERN_HD double power_series(double r) {
  return horner(r, 0x1.1f730349868cep-29, 0x1.af4de97ca4194p-26, 0x1.27e4db646b17ep-22, 0x1.71de0231960ebp-19,
                0x1.a01a01a6d889cp-16, 0x1.a01a01abe7fe1p-13, 0x1.6c16c16c162d4p-10, 0x1.11111111100dcp-7,
                0x1.5555555555556p-5, 0x1.5555555555557p-3, 0.5);
}

/// e^r for |r| <= ln(2) / 2, within 2 ulp and exact at 0: one operation fewer than the power series. For
/// factors and terms of longer formulas.
LECTERN_HD float rough_power(float r) {
  return horner(r, 0x1.0fa820p-7F, 0x1.573a6cp-5F, 0x1.555a6cp-3F, 0x1.fffdc6p-2F, 0x1.fffff6p-1F, 1.0F);
}

/// 2^n is multiplied in two steps: n may be below the smallest exponent.
LECTERN_HD float exp(float x) {
  float bounded = x > 89.0F ? 89.0F : x;
  bounded = bounded < -104.0F ? -104.0F : bounded;
  const FloatExponent reduced = reduce_exponent(bounded);
  const float r = reduced.r;
  const std::uint32_t exponent = reduced.exponent();
  const float power = fma(r, fma(r, power_series(r), 1.0F), 1.0F);
  const std::uint32_t half = static_cast<std::uint32_t>(static_cast<std::int32_t>(exponent) >> 1);
  const float scale = __builtin_bit_cast(float, (half + 127U) << 23);
  const float rest = __builtin_bit_cast(float, (exponent - half + 127U) << 23);
  return power * scale * rest;
}

/// ln of the smallest normal float
inline constexpr float kLowestExponent = -0x1.5d589ep6F;

/// e^x for x up to 88, as exp() except that subnormal results become 0. For exponentials whose maximum is
/// 1; a third faster. For doubles the same as exp().
LECTERN_HD float exp_term(float x) {
  const FloatExponent reduced = reduce_exponent(x);
  const float r = reduced.r;
  const float power = fma(r, fma(r, power_series(r), 1.0F), 1.0F);
  return x < kLowestExponent ? 0.0F : power * __builtin_bit_cast(float, reduced.biased << 23);
}

/// The same within 4 ulp for |x| up to 32, and exact at 0: for sums of exponentials. A quarter faster. For
/// doubles the same as exp().
LECTERN_HD float rough_exp_term(float x) {
  const float shifted = fma(x, 0x1.715476p0F, FloatExponent::kRound);
  const float n = shifted - FloatExponent::kRound;
  const float power = rough_power(fma(n, -0x1.62e430p-1F, x));
  return x < kLowestExponent
             ? 0.0F
             : power * __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, shifted) << 23);
}

LECTERN_HD double exp(double x) {
  double bounded = x > 710.0 ? 710.0 : x;
  bounded = bounded < -746.0 ? -746.0 : bounded;
  const auto [r, exponent, half] = reduce_exponent(bounded);
  const double power = fma(r, fma(r, power_series(r), 1.0), 1.0);
  const double scale = __builtin_bit_cast(double, (half + 1023U) << 52);
  const double rest = __builtin_bit_cast(double, (exponent - half + 1023U) << 52);
  return power * scale * rest;
}

LECTERN_HD double exp_term(double x) {
  return exp(x);
}
LECTERN_HD double rough_exp_term(double x) {
  return exp(x);
}

/// The same within 2^-21 (1 + |x| / 8): for results of 16 bits, and on a GPU for sums. A GPU has an
/// instruction for it, with other bits than the polynomial.
LECTERN_HD float short_exp_term(float x) {
#ifdef __CUDA_ARCH__
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x * 0x1.715476p0F));
  return power;
#else
  return rough_exp_term(x);
#endif
}

/// ln(x) = e ln(2) + ln(1 + f) with x = 2^e (1 + f) and 1 + f in [2/3, 4/3).
LECTERN_HD float log(float x) {
  constexpr std::uint32_t kTwoThirds = 0x3f2aaaab;
  const bool subnormal = x < std::numeric_limits<float>::min();
  const float normal = subnormal ? x * 0x1p23F : x;
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, normal) + (0x3f800000U - kTwoThirds);
  const auto biased = static_cast<std::int32_t>(bits >> 23);
  const float e = static_cast<float>(biased - (subnormal ? 127 + 23 : 127));
  const float f = __builtin_bit_cast(float, (bits & 0x007fffffU) + kTwoThirds) - 1.0F;
  const float p = horner(f, -0x1.f0a9eep-4F, 0x1.12f598p-3F, -0x1.f9b330p-4F, 0x1.21249ap-3F, -0x1.55678cp-3F,
                         0x1.99ad6cp-3F, -0x1.fffff0p-3F, 0x1.55554cp-2F, -0.5F);
  float y = fma(f * f, p, e * -0x1.05c610p-29F) + f;
  y = fma(e, 0x1.62e430p-1F, y);
  y = x == 0 ? -std::numeric_limits<float>::infinity() : y;
  y = x < 0 ? std::numeric_limits<float>::quiet_NaN() : y;
  return x < std::numeric_limits<float>::infinity() ? y : x;  // infinity, NaN
}

/// The same with s = f / (2 + f): ln(1 + f) = 2 artanh(s), whose series has odd powers only.
LECTERN_HD double log(double x) {
  constexpr std::uint64_t kTwoThirds = 0x3fe5555555555555;
  constexpr double kInteger = 0x1p52;
  const bool subnormal = x < std::numeric_limits<double>::min();
  const double normal = subnormal ? x * 0x1p52 : x;
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, normal) + (0x3ff0000000000000U - kTwoThirds);
  // Converts an integer below 2^52 to double by its bits: AVX2 lacks the conversion for 64 bits.
  const double biased = __builtin_bit_cast(double, bits >> 52 | __builtin_bit_cast(std::uint64_t, kInteger));
  const double e = biased - (subnormal ? kInteger + 1023 + 52 : kInteger + 1023);
  const double f = __builtin_bit_cast(double, (bits & 0x000fffffffffffffU) + kTwoThirds) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double series =
      z * horner(z, 0x1.16b68338bd78bp-3, 0x1.0e88ea4725d3dp-3, 0x1.3b29fcbbce66dp-3, 0x1.745cab2727663p-3,
                 0x1.c71c72e2f78d5p-3, 0x1.24924923dba6ap-2, 0x1.9999999999f30p-2, 0x1.5555555555555p-1);
  const double half_square = 0.5 * f * f;
  const double low = fma(s, half_square + series, e * -0x1.718432a1b0e26p-35);
  double y = fma(e, 0x1.62e42ffp-1, f - (half_square - low));
  y = x == 0 ? -std::numeric_limits<double>::infinity() : y;
  y = x < 0 ? std::numeric_limits<double>::quiet_NaN() : y;
  return x < std::numeric_limits<double>::infinity() ? y : x;
}

}  // namespace lectern::math
