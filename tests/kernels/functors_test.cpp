#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernels/elementwise_functors.h"
#include "kernels/ulps.h"

namespace lectern::kernels {
namespace {

template <typename T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <typename T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

/// The worst of all floats, of every `step`-th one.
template <typename Functor, typename Exact>
double worst_by_bits(Functor functor, Exact exact, std::uint32_t step) {
  double worst = 0;
  for (std::uint64_t bits = 0; bits <= 0xFFFFFFFF; bits += step) {
    const float x = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
    worst = std::max(worst, ulps(functor(x), static_cast<long double>(exact(static_cast<double>(x)))));
  }
  return worst;
}

TEST(Functors, ExpAndLogOfFloats) {
  EXPECT_LE(worst_by_bits(
                Exp{}, [](double x) { return std::exp(x); }, 499),
            1.0);
  EXPECT_LE(worst_by_bits(
                Log{}, [](double x) { return std::log(x); }, 499),
            1.0);
}

TEST(Functors, RoughPowersOfTerms) {
  double worst = 0;
  for (float x = -32; x <= 32; x += 0.00071F) {
    worst = std::max(worst, ulps(math::rough_exp_term(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LE(worst, 4.0);
  EXPECT_EQ(math::rough_exp_term(0.0F), 1.0F);
  EXPECT_EQ(math::rough_exp_term(-88.0F), 0.0F);
  EXPECT_EQ(math::rough_exp_term(-kInfinity<float>), 0.0F);
  EXPECT_TRUE(std::isnan(math::rough_exp_term(kNan<float>)));
}

TEST(Functors, ExpAndLogOfDoubles) {
  std::mt19937_64 engine(5);
  double worst_exp = 0, worst_log = 0;
  for (int i = 0; i < 400'000; ++i) {
    const double x = __builtin_bit_cast(double, engine());
    const double y = std::uniform_real_distribution<double>(-750, 750)(engine);
    const double z = std::uniform_real_distribution<double>(0.5, 2)(engine);
    for (const double each : {x, y, y / 1000})
      worst_exp = std::max(worst_exp, ulps(Exp{}(each), std::exp(static_cast<long double>(each))));
    for (const double each : {x, std::abs(x), z})
      worst_log = std::max(worst_log, ulps(Log{}(each), std::log(static_cast<long double>(each))));
  }
  EXPECT_LE(worst_exp, 1.0);
  EXPECT_LE(worst_log, 1.0);
}

template <typename T>
void expect_special_values() {
  using Limits = std::numeric_limits<T>;
  EXPECT_EQ(Exp{}(kInfinity<T>), kInfinity<T>);
  EXPECT_EQ(Exp{}(-kInfinity<T>), T(0));
  EXPECT_TRUE(std::isnan(Exp{}(kNan<T>)));
  EXPECT_EQ(Exp{}(T(0)), T(1));
  EXPECT_EQ(Exp{}(T(-0.0)), T(1));
  EXPECT_EQ(Exp{}(Limits::max()), kInfinity<T>);
  EXPECT_EQ(Exp{}(Limits::lowest()), T(0));
  EXPECT_EQ(Log{}(T(0)), -kInfinity<T>);
  EXPECT_EQ(Log{}(T(-0.0)), -kInfinity<T>);
  EXPECT_EQ(Log{}(T(1)), T(0));
  EXPECT_EQ(Log{}(kInfinity<T>), kInfinity<T>);
  EXPECT_TRUE(std::isnan(Log{}(T(-1))));
  EXPECT_TRUE(std::isnan(Log{}(-Limits::denorm_min())));
  EXPECT_TRUE(std::isnan(Log{}(-kInfinity<T>)));
  EXPECT_TRUE(std::isnan(Log{}(kNan<T>)));
  EXPECT_LE(ulps(Log{}(Limits::denorm_min()), std::log(static_cast<long double>(Limits::denorm_min()))), 1.0);

  EXPECT_TRUE(std::isnan(Maximum{}(T(1), kNan<T>)));
  EXPECT_TRUE(std::isnan(Maximum{}(kNan<T>, T(1))));
  EXPECT_TRUE(std::isnan(Minimum{}(T(1), kNan<T>)));
  EXPECT_TRUE(std::isnan(Minimum{}(kNan<T>, T(1))));
  EXPECT_TRUE(std::isnan(Sqrt{}(T(-1))));
  EXPECT_EQ(Rsqrt{}(T(0)), kInfinity<T>);
  EXPECT_EQ(Div{}(T(1), T(0)), kInfinity<T>);
  EXPECT_TRUE(std::signbit(Neg{}(T(0))));
  EXPECT_FALSE(std::signbit(Abs{}(T(-0.0))));
  EXPECT_TRUE(Ne{}(kNan<T>, kNan<T>));
  EXPECT_FALSE(Eq{}(kNan<T>, kNan<T>) || Le{}(kNan<T>, kNan<T>) || Ge{}(kNan<T>, kNan<T>));
}

TEST(Functors, SpecialValues) {
  expect_special_values<float>();
  expect_special_values<double>();
}

TEST(Functors, PowOfFloatsIsThatOfTheLibrary) {
  const float interesting[] = {0.0F,
                               -0.0F,
                               1,
                               -1,
                               2,
                               -2,
                               3,
                               -3,
                               0.5F,
                               -0.5F,
                               1.5F,
                               -2.5F,
                               1e-30F,
                               -1e-30F,
                               1e30F,
                               -1e30F,
                               1e-45F,
                               16777216.0F,
                               16777215.0F,
                               -16777217.0F,
                               33,
                               -33,
                               kInfinity<float>,
                               -kInfinity<float>,
                               kNan<float>};
  for (const float x : interesting) {
    for (const float y : interesting) {
      const float expected = std::pow(x, y);
      const float got = Pow{}(x, y);
      SCOPED_TRACE(std::to_string(x) + "^" + std::to_string(y));
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(got));
      } else {
        EXPECT_LE(ulps(got, std::pow(static_cast<long double>(x), static_cast<long double>(y))), 1.0);
        EXPECT_EQ(std::signbit(got), std::signbit(expected));
      }
    }
  }
  std::mt19937 engine(3);
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const float x = std::exp(std::uniform_real_distribution<float>(-80, 80)(engine));
    const float y = std::uniform_real_distribution<float>(-3, 3)(engine);
    worst = std::max(worst,
                     ulps(Pow{}(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y))));
  }
  EXPECT_LE(worst, 0.5001);
}

TEST(Functors, IntegersWrapAround) {
  using Limits = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(Add{}(Limits::max(), std::int64_t{1}), Limits::min());
  EXPECT_EQ(Sub{}(Limits::min(), std::int64_t{1}), Limits::max());
  EXPECT_EQ(Mul{}(Limits::max(), std::int64_t{2}), -2);
  EXPECT_EQ(Neg{}(Limits::min()), Limits::min());
  EXPECT_EQ(Abs{}(Limits::min()), Limits::min());
  EXPECT_EQ(Square{}(std::int64_t{1} << 32), 0);
  EXPECT_EQ(Pow{}(std::int64_t{3}, std::int64_t{4}), 81);
  EXPECT_EQ(Pow{}(std::int64_t{-3}, std::int64_t{3}), -27);
  EXPECT_EQ(Pow{}(std::int64_t{0}, std::int64_t{0}), 1);
  EXPECT_EQ(Pow{}(std::int64_t{2}, std::int64_t{64}), 0);
  EXPECT_EQ(Pow{}(std::int64_t{2}, std::int64_t{-1}), 0);
  EXPECT_EQ(Pow{}(std::int64_t{1}, std::int64_t{-5}), 1);
  EXPECT_EQ(Pow{}(std::int64_t{-1}, std::int64_t{-5}), -1);
  EXPECT_EQ(Pow{}(std::int64_t{-1}, std::int64_t{-4}), 1);
}

}  // namespace
}  // namespace lectern::kernels
