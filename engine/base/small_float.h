#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/host_device.h"

namespace lectern {

/// An 8- or 16-bit floating-point number in the layout of IEEE 754: sign, exponent, mantissa, with
/// subnormals.
///
/// Storage only: arithmetic is done in float, to which every value converts exactly and implicitly. The
/// conversion back is explicit and rounds to nearest, ties to even, as in PyTorch. Overflow gives infinity
/// or, in a format without infinities, NaN; never the largest finite value. (kInfinities false: the largest
/// exponent holds finite values too, and only its last pattern is NaN.) NaN becomes kNan with its sign, in
/// BFloat16 without; on a GPU, whatever the hardware gives. Branch-free: GCC vectorises loops of conversions.
template <int kExponentBits, int kMantissaBits, unsigned kNan, bool kInfinities = true>
struct SmallFloat {
  static constexpr int kWidth = 1 + kExponentBits + kMantissaBits;
  static_assert(kWidth == 8 || kWidth == 16);
  using Bits = std::conditional_t<kWidth == 16, std::uint16_t, std::uint8_t>;

  Bits bits;

  SmallFloat() = default;
  LECTERN_HD explicit constexpr SmallFloat(float value) : bits(round(value)) {}

  /// Through float, as in PyTorch: these round twice.
  LECTERN_HD explicit constexpr SmallFloat(double value) : SmallFloat(static_cast<float>(value)) {}
  template <std::integral Integer>
  LECTERN_HD explicit constexpr SmallFloat(Integer value) : SmallFloat(static_cast<float>(value)) {}

  LECTERN_HD static constexpr SmallFloat from_bits(Bits bits) {
    SmallFloat result{};
    result.bits = bits;
    return result;
  }

  LECTERN_HD constexpr operator float() const { return widen(bits); }

 private:
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kDropped = 23 - kMantissaBits;  // mantissa bits that float has in addition
  static constexpr std::int32_t kFloatInfinity = 0x7F800000;
  static constexpr std::int32_t kBiasDifference = (127 - kBias) << 23;
  static constexpr int kMagnitudeMask = (1 << (kWidth - 1)) - 1;
  /// After the largest finite value: infinity or NaN.
  static constexpr int kOverflow =
      kInfinities ? kMagnitudeMask >> kMantissaBits << kMantissaBits : kMagnitudeMask;
  static constexpr bool kFloatsExponents = kExponentBits == 8;

  LECTERN_HD static constexpr Bits round(float value) {
#ifdef __CUDA_ARCH__
    if (!__builtin_is_constant_evaluated()) {
      std::uint16_t converted;
      if constexpr (kExponentBits == 5 && kMantissaBits == 10) {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(converted) : "f"(value));
        return converted;
      }
#if __CUDA_ARCH__ >= 800
      if constexpr (kFloatsExponents) {
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(converted) : "f"(value));
        return converted;
      }
#endif
    }
#endif
    const auto word = __builtin_bit_cast(std::uint32_t, value);
    const std::int32_t magnitude = __builtin_bit_cast(std::int32_t, value) & 0x7FFFFFFF;
    const bool nan = value != value;
    if constexpr (kFloatsExponents) {
      // Subnormals and overflow need no special case.
      const std::uint32_t rounded = (word + 0x7FFFu + (word >> kDropped & 1u)) >> kDropped;
      return static_cast<Bits>(nan ? kNan : rounded);
    } else {
      // Adding 2^(e + kDropped) to a value of exponent e lets the FPU round: the last place of the sum is the
      // one to round to. For subnormals, e is that of the smallest normal number.
      constexpr std::int32_t kTooLarge = (kOverflow << kDropped) + kBiasDifference;
      constexpr std::int32_t kSmallestExponent = kBiasDifference + (1 << 23);
      const std::int32_t bounded = magnitude < kTooLarge ? magnitude : kTooLarge;
      const std::int32_t own_exponent = bounded & kFloatInfinity;
      const std::int32_t exponent = own_exponent > kSmallestExponent ? own_exponent : kSmallestExponent;
      const std::int32_t anchor = exponent + (kDropped << 23);
      const float sum = __builtin_bit_cast(float, bounded) + __builtin_bit_cast(float, anchor);
      const std::int32_t mantissa = __builtin_bit_cast(std::int32_t, sum) - anchor;
      const std::int32_t rounded = mantissa + ((exponent - kSmallestExponent) >> kDropped);
      const std::uint32_t sign = word >> 31 << (kWidth - 1);
      return static_cast<Bits>(sign | static_cast<std::uint32_t>(rounded) | (nan ? kNan : 0));
    }
  }

  LECTERN_HD static constexpr float widen(Bits from) {
    const auto word = static_cast<std::uint32_t>(from);
    if constexpr (kFloatsExponents) {
      return __builtin_bit_cast(float, word << kDropped);
    } else {
#ifdef __CUDA_ARCH__
      if constexpr (kExponentBits == 5) {
        if (!__builtin_is_constant_evaluated()) {
          const auto half = static_cast<std::uint16_t>(word << (16 - kWidth));
          float converted;
          asm("cvt.f32.f16 %0, %1;" : "=f"(converted) : "h"(half));
          return converted;
        }
      }
#endif
      // A subnormal gets the hidden bit that it lacks, which is then subtracted.
      constexpr std::int32_t kSmallestNormal = kBiasDifference + (1 << 23);
      const auto magnitude = static_cast<std::int32_t>(word) & kMagnitudeMask;
      const bool subnormal = magnitude < 1 << kMantissaBits;
      const std::int32_t extended = (magnitude << kDropped) + (subnormal ? kSmallestNormal : kBiasDifference);
      const std::int32_t excess = subnormal ? kSmallestNormal : 0;
      const float finite = __builtin_bit_cast(float, extended) - __builtin_bit_cast(float, excess);
      const std::int32_t result =
          __builtin_bit_cast(std::int32_t, finite) | (magnitude < kOverflow ? 0 : kFloatInfinity);
      return __builtin_bit_cast(float, static_cast<std::uint32_t>(result) | word >> (kWidth - 1) << 31);
    }
  }
};

/// IEEE 754 binary16: 5 exponent bits, 10 mantissa bits. Largest value 65504, smallest normal 2^-14.
using Half = SmallFloat<5, 10, 0x7E00>;

/// The upper half of a float: 8 exponent bits, 7 mantissa bits.
using BFloat16 = SmallFloat<8, 7, 0x7FC0>;

/// 4 exponent bits, 3 mantissa bits, finite values and NaN (0x7F, 0xFF) only. Largest value 448, smallest
/// normal 2^-6. (Micikevicius et al. 2022, "FP8 Formats for Deep Learning", arXiv:2209.05433.)
using Float8_e4m3fn = SmallFloat<4, 3, 0x7F, false>;

/// 5 exponent bits, 2 mantissa bits, with infinities: the upper half of a Half. Largest value 57344.
using Float8_e5m2 = SmallFloat<5, 2, 0x7F>;

}  // namespace lectern

/// By the definitions of the C++ standard; what is not defined here is as for float.
template <int kExponentBits, int kMantissaBits, unsigned kNan, bool kInfinities>
struct std::numeric_limits<lectern::SmallFloat<kExponentBits, kMantissaBits, kNan, kInfinities>>
    : std::numeric_limits<float> {
 private:
  using Float = lectern::SmallFloat<kExponentBits, kMantissaBits, kNan, kInfinities>;
  using Bits = typename Float::Bits;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kExponentMask = ((1 << kExponentBits) - 1) << kMantissaBits;
  static constexpr int kMax = (kInfinities ? kExponentMask : kExponentMask | ((1 << kMantissaBits) - 1)) - 1;
  static constexpr int kSign = 1 << (kExponentBits + kMantissaBits);

  LECTERN_HD static constexpr Float from_bits(int bits) { return Float::from_bits(static_cast<Bits>(bits)); }
  /// floor(power * log10(2)); exact for |power| < 1,000.
  static constexpr int decimal(int power) { return (power * 30103 - (power < 0 ? 99999 : 0)) / 100000; }

 public:
  static constexpr bool has_infinity = kInfinities;
  static constexpr bool has_signaling_NaN = kInfinities;
  static constexpr bool is_iec559 = kInfinities;
  static constexpr int digits = kMantissaBits + 1;
  static constexpr int digits10 = decimal(kMantissaBits);
  static constexpr int max_digits10 = decimal(digits) + 2;
  static constexpr int min_exponent = 2 - kBias;
  static constexpr int max_exponent = kInfinities ? kBias + 1 : kBias + 2;
  static constexpr int min_exponent10 = decimal(min_exponent - 1) + 1;
  static constexpr int max_exponent10 = decimal(max_exponent);

  LECTERN_HD static constexpr Float min() noexcept { return from_bits(1 << kMantissaBits); }
  LECTERN_HD static constexpr Float max() noexcept { return from_bits(kMax); }
  LECTERN_HD static constexpr Float lowest() noexcept { return from_bits(kSign | kMax); }
  LECTERN_HD static constexpr Float epsilon() noexcept {
    return from_bits((kBias - kMantissaBits) << kMantissaBits);
  }
  LECTERN_HD static constexpr Float round_error() noexcept { return from_bits((kBias - 1) << kMantissaBits); }
  LECTERN_HD static constexpr Float denorm_min() noexcept { return from_bits(1); }
  LECTERN_HD static constexpr Float infinity() noexcept { return from_bits(kInfinities ? kExponentMask : 0); }
  LECTERN_HD static constexpr Float quiet_NaN() noexcept { return from_bits(kNan); }
  LECTERN_HD static constexpr Float signaling_NaN() noexcept {
    return from_bits(kInfinities ? kExponentMask | 1 : 0);
  }
};
