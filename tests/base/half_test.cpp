#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/small_float.h"

namespace lectern {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kQuietNan = std::numeric_limits<float>::quiet_NaN();

/// What the formats are, said once more and independently.
struct Format {
  int exponent_bits, mantissa_bits, bias;
  bool infinities;
  unsigned nan, negative_nan;  // what a NaN of either sign becomes
  int digits10, max_digits10, min_exponent, max_exponent, min_exponent10, max_exponent10;
};
template <typename T>
inline constexpr Format kFormat{};
template <>
inline constexpr Format kFormat<Half>{5, 10, 15, true, 0x7E00, 0xFE00, 3, 5, -13, 16, -4, 4};
template <>
inline constexpr Format kFormat<BFloat16>{8, 7, 127, true, 0x7FC0, 0x7FC0, 2, 4, -125, 128, -37, 38};
template <>
inline constexpr Format kFormat<Float8_e4m3fn>{4, 3, 7, false, 0x7F, 0xFF, 0, 3, -5, 9, -1, 2};
template <>
inline constexpr Format kFormat<Float8_e5m2>{5, 2, 15, true, 0x7F, 0xFF, 0, 2, -13, 16, -4, 4};

template <typename T>
class SmallFloats : public testing::Test {
 protected:
  static constexpr Format kIs = kFormat<T>;
  static constexpr int kWidth = 1 + kIs.exponent_bits + kIs.mantissa_bits;
  static constexpr unsigned kSign = 1u << (kWidth - 1);
  static constexpr unsigned kHidden = 1u << kIs.mantissa_bits;
  static constexpr unsigned kLastExponent = (1u << kIs.exponent_bits) - 1;

  /// By the definition: (-1)^s 2^(e - bias) (1 + m / 2^M), and 2^(1 - bias) m / 2^M where e = 0.
  static double value(unsigned bits) {
    const unsigned exponent = bits >> kIs.mantissa_bits & kLastExponent;
    const unsigned mantissa = bits & (kHidden - 1);
    const double sign = (bits & kSign) != 0 ? -1 : 1;
    if (kIs.infinities && exponent == kLastExponent) return mantissa == 0 ? sign * HUGE_VAL : std::nan("");
    if (!kIs.infinities && (bits & (kSign - 1)) == kSign - 1) return std::nan("");
    const unsigned significand = exponent == 0 ? mantissa : kHidden + mantissa;
    const int power = std::max(static_cast<int>(exponent), 1) - kIs.bias - kIs.mantissa_bits;
    return sign * std::ldexp(significand, power);
  }

  /// The values from 0 up to the largest finite one (the index is the bit pattern), and the one that would
  /// follow.
  static const std::vector<double>& ladder() {
    static const std::vector<double> steps = [] {
      std::vector<double> values;
      while (std::isfinite(value(static_cast<unsigned>(values.size())))) {
        values.push_back(value(static_cast<unsigned>(values.size())));
      }
      values.push_back(2 * values.back() - values[values.size() - 2]);
      return values;
    }();
    return steps;
  }

  /// The pattern nearest to `from`, found by searching; of two equally near ones the even one.
  static unsigned nearest(float from) {
    if (std::isnan(from)) return std::signbit(from) ? kIs.negative_nan : kIs.nan;
    const unsigned sign = std::signbit(from) ? kSign : 0;
    const double magnitude = std::fabs(static_cast<double>(from));
    const auto& steps = ladder();
    const auto above = std::upper_bound(steps.begin(), steps.end(), magnitude);
    const auto high = static_cast<unsigned>(above - steps.begin());
    if (above == steps.end()) return sign | (high - 1);
    const double to_low = magnitude - steps[high - 1];
    const double to_high = steps[high] - magnitude;
    if (to_low == to_high) return sign | (high % 2 == 0 ? high : high - 1);
    return sign | (to_low < to_high ? high - 1 : high);
  }

  static void expect_nearest(float from) {
    for (const float signed_from : {from, -from}) {
      const unsigned expected = nearest(signed_from);
      const unsigned got = T(signed_from).bits;
      if (got == expected) continue;  // GoogleTest is too slow for millions of assertions
      ADD_FAILURE() << signed_from << " (" << std::bit_cast<std::uint32_t>(signed_from) << ") became " << got
                    << ", not " << expected;
    }
  }
};

using Types = testing::Types<Half, BFloat16, Float8_e4m3fn, Float8_e5m2>;
struct Names {
  template <typename T>
  static std::string GetName(int) {
    const auto part = [](int bits) { return std::to_string(bits); };
    return "e" + part(kFormat<T>.exponent_bits) + "m" + part(kFormat<T>.mantissa_bits);
  }
};
TYPED_TEST_SUITE(SmallFloats, Types, Names);

TYPED_TEST(SmallFloats, EveryPatternIsTheFloatThatTheFormatDefines) {
  static_assert(sizeof(TypeParam) * 8 == TestFixture::kWidth);
  for (unsigned bits = 0; bits < 2 * TestFixture::kSign; ++bits) {
    const auto number = TypeParam::from_bits(static_cast<typename TypeParam::Bits>(bits));
    const float got = number;
    const double expected = TestFixture::value(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
    } else {
      ASSERT_EQ(got, expected) << bits;
    }
    ASSERT_EQ(std::signbit(got), (bits & TestFixture::kSign) != 0) << bits;
  }
}

TYPED_TEST(SmallFloats, EveryPatternSurvivesTheWayThroughFloat) {
  for (unsigned bits = 0; bits < 2 * TestFixture::kSign; ++bits) {
    const auto number = TypeParam::from_bits(static_cast<typename TypeParam::Bits>(bits));
    if (std::isnan(TestFixture::value(bits))) continue;
    ASSERT_EQ(TypeParam(static_cast<float>(number)).bits, bits);
  }
}

TYPED_TEST(SmallFloats, MidpointsAndTheirNeighboursRoundToNearestEven) {
  const auto& steps = TestFixture::ladder();
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const auto low = static_cast<float>(steps[i]);
    const auto middle = static_cast<float>((steps[i] + steps[i + 1]) / 2);
    ASSERT_EQ(middle, (steps[i] + steps[i + 1]) / 2);
    for (const float from : {low, middle}) {
      this->expect_nearest(from);
      this->expect_nearest(std::nextafter(from, kInfinity));
      this->expect_nearest(std::nextafter(from, 0.f));
      this->expect_nearest(std::nextafter(std::nextafter(from, kInfinity), kInfinity));
    }
  }
}

TYPED_TEST(SmallFloats, FloatsOfEveryUpperHalfRoundToNearestEven) {
  for (std::uint32_t upper = 0; upper < 0x8000; ++upper) {
    for (const std::uint32_t lower : {0x0000u, 0x0001u, 0x0FFFu, 0x1000u, 0x1001u, 0x3000u, 0x7FFFu, 0x8000u,
                                      0x8001u, 0xEFFFu, 0xF000u, 0xF001u, 0xFFFFu}) {
      this->expect_nearest(std::bit_cast<float>(upper << 16 | lower));
    }
  }
}

TYPED_TEST(SmallFloats, WhatIsTooLargeBecomesInfinityOrNan) {
  using Limits = std::numeric_limits<TypeParam>;
  const auto& steps = TestFixture::ladder();
  const auto limit = static_cast<float>((steps.back() + steps[steps.size() - 2]) / 2);
  // Half way to what follows, an odd largest number gives way. That of e4m3fn is even: its last pattern is
  // NaN.
  const float over = TestFixture::kIs.infinities ? limit : std::nextafter(limit, kInfinity);
  EXPECT_EQ(TypeParam(std::nextafter(over, 0.f)).bits, Limits::max().bits);
  for (const float huge : {over, std::numeric_limits<float>::max(), kInfinity}) {
    EXPECT_EQ(Limits::has_infinity, std::isinf(static_cast<float>(TypeParam(huge))) != 0);
    EXPECT_EQ(!Limits::has_infinity, std::isnan(static_cast<float>(TypeParam(huge))) != 0);
    EXPECT_TRUE(std::signbit(static_cast<float>(TypeParam(-huge))));
  }
}

TYPED_TEST(SmallFloats, LimitsAreWhatTheyAreDefinedToBe) {
  using Limits = std::numeric_limits<TypeParam>;
  constexpr Format is = TestFixture::kIs;
  const auto& steps = TestFixture::ladder();
  const double largest = steps[steps.size() - 2];
  EXPECT_EQ(Limits::max(), largest);
  EXPECT_EQ(Limits::lowest(), -largest);
  EXPECT_EQ(Limits::denorm_min(), steps[1]);
  EXPECT_EQ(Limits::min(), std::ldexp(1, 1 - is.bias));
  EXPECT_EQ(Limits::epsilon(), *std::upper_bound(steps.begin(), steps.end(), 1.0) - 1);
  EXPECT_EQ(Limits::round_error(), 0.5);
  EXPECT_EQ(Limits::has_infinity, is.infinities);
  EXPECT_TRUE(std::isnan(static_cast<float>(Limits::quiet_NaN())));
  if (is.infinities) {
    EXPECT_EQ(Limits::infinity(), kInfinity);
    EXPECT_TRUE(std::isnan(static_cast<float>(Limits::signaling_NaN())));
  }
  EXPECT_EQ(Limits::digits, is.mantissa_bits + 1);
  EXPECT_EQ(Limits::digits10, is.digits10);
  EXPECT_EQ(Limits::max_digits10, is.max_digits10);
  EXPECT_EQ(Limits::min_exponent, is.min_exponent);
  EXPECT_EQ(Limits::max_exponent, is.max_exponent);
  EXPECT_EQ(Limits::min_exponent10, is.min_exponent10);
  EXPECT_EQ(Limits::max_exponent10, is.max_exponent10);
}

TYPED_TEST(SmallFloats, NumbersOfOtherTypesConvert) {
  EXPECT_EQ(TypeParam(3), 3.f);
  EXPECT_EQ(TypeParam(std::int64_t{-12}), -12.f);
  EXPECT_EQ(TypeParam(true), 1.f);
  EXPECT_EQ(TypeParam(0.1).bits, TypeParam(0.1f).bits);
  EXPECT_EQ(static_cast<int>(TypeParam(-2.5f)), -2);
  EXPECT_EQ(static_cast<TypeParam>(Half(1.5f)), 1.5f);
}

TEST(SmallFloatTest, DoublesAndIntegersRoundTwiceAsInPyTorch) {
  const double just_above_tie = 1 + 0x1p-11 + 0x1p-40;  // nearest: 1 + 2^-10
  EXPECT_EQ(Half(just_above_tie), 1.f);
  const std::int64_t just_above_integer_tie = (1 << 25) + (1 << 17) + 1;  // nearest: 2^25 + 2^18
  EXPECT_EQ(BFloat16(just_above_integer_tie), 0x1p25f);
}

TEST(SmallFloatTest, ArithmeticIsThatOfFloat) {
  const auto a = Half(1.f), b = Half(0x1p-12f);
  static_assert(std::is_same_v<decltype(a + b), float>);
  EXPECT_EQ(a + b, 1.000244140625f);
  EXPECT_TRUE(b < a && a == a && a != b);
  EXPECT_EQ(-a * 2, -2.f);
}

// In constant expressions too.
static_assert(std::is_trivial_v<Half> && std::is_trivial_v<Float8_e4m3fn>);
static_assert(!std::is_convertible_v<float, Half>, "rounding is explicit");
static_assert(Half(65504.f) == std::numeric_limits<Half>::max());
static_assert(Half(65520.f) == std::numeric_limits<Half>::infinity());
static_assert(Half(0x1p-24f).bits == 1 && Half(0x1p-25f).bits == 0);
static_assert(BFloat16(1e-8f) == 0x1.58p-27f);
static_assert(Float8_e4m3fn(464.f) == 448.f && Float8_e4m3fn(465.f).bits == 0x7F);
static_assert(Float8_e5m2(57344.f) == 57344.f && Float8_e5m2(-kInfinity).bits == 0xFC);
static_assert(Half(kQuietNan).bits == 0x7E00 && BFloat16(kQuietNan).bits == 0x7FC0);

}  // namespace
}  // namespace lectern
