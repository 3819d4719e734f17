#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernels/elementwise_functors.h"
#include "kernels/ulps.h"

// The functions of floats and doubles that are polynomials of our own, against the library's in the next
// wider type. (exp, log and pow: functors_test.cpp.)

namespace lectern::kernels {
namespace {

/// The worst of every 1,999th of all floats, NaN and infinities among them, between bounds.
template <typename Functor, typename Exact>
double worst_float(Functor functor, Exact exact, float low = -INFINITY, float high = INFINITY) {
  double worst = 0;
  for (std::uint64_t bits = 0; bits <= 0xFFFFFFFF; bits += 1999) {
    const float x = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
    if (x < low || x > high) continue;
    worst = std::max(worst, ulps(functor(x), static_cast<long double>(exact(static_cast<double>(x)))));
  }
  return worst;
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

TEST(FloatFunctions, AreCloseToTheLibrarys) {
  const auto expect = [](auto functor, auto exact, double bound, const char* name, float low = -INFINITY,
                         float high = INFINITY) {
    EXPECT_LE(worst_float(functor, exact, low, high), bound) << name;
  };
  expect(
      Expm1{}, [](double x) { return std::expm1(x); }, 2, "expm1");
  expect(
      Log1p{}, [](double x) { return std::log1p(x); }, 2, "log1p");
  expect(
      Tanh{}, [](double x) { return std::tanh(x); }, 3, "tanh");
  expect(
      Erf{}, [](double x) { return std::erf(x); }, 3, "erf");
  expect(
      Erfc{}, [](double x) { return std::erfc(x); }, 7, "erfc", -INFINITY, 9.15F);
  // Where e^-x overflows, the result is 0 instead of a subnormal number.
  expect(Sigmoid{}, sigmoid, 3, "sigmoid", -88);
  expect(
      Silu{}, [](double x) { return x * sigmoid(x); }, 3, "silu", -88, 1e38F);
  expect(
      Gelu{}, [](double x) { return 0.5 * x * std::erfc(-x * M_SQRT1_2); }, 7, "gelu", -12.9F, 1e38F);
  expect(
      Softplus{}, [](double x) { return x > 20 ? x : std::log1p(std::exp(x)); }, 3, "softplus", -100);
}

template <typename Functor, typename Exact>
double worst_double(Functor functor, Exact exact) {
  std::mt19937_64 engine(7);
  double worst = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double any = __builtin_bit_cast(double, engine());
    const double wide = std::uniform_real_distribution<double>(-30, 30)(engine);
    const double narrow = std::uniform_real_distribution<double>(-1, 1)(engine);
    for (const double x : {any, wide, narrow, narrow / 1000})
      worst = std::max(worst, ulps(functor(x), exact(static_cast<long double>(x))));
  }
  return worst;
}

TEST(FloatFunctions, OfDoublesToo) {
  EXPECT_LE(worst_double(Expm1{}, [](long double x) { return std::expm1(x); }), 2);
  EXPECT_LE(worst_double(Log1p{}, [](long double x) { return std::log1p(x); }), 2);
  EXPECT_LE(worst_double(Tanh{}, [](long double x) { return std::tanh(x); }), 3);
}

TEST(FloatFunctions, OfTheGammaFunction) {
  constexpr long double kSquare = 9.869604401089358618834490999876151135L;  // π²
  EXPECT_LE(ulps(math::digamma(1.0), -0.577215664901532860606512090082402431L), 8);
  EXPECT_LE(ulps(math::digamma(0.5), -1.963510026021423479440976332998755567L), 4);
  EXPECT_LE(ulps(math::digamma(20.0), 2.970523992242149050877256978825985363L), 4);
  EXPECT_LE(ulps(math::trigamma(1.0), kSquare / 6), 4);
  EXPECT_LE(ulps(math::trigamma(0.5), kSquare / 2), 4);
  EXPECT_LE(ulps(math::trigamma(-0.5), kSquare / 2 + 4), 4);
  EXPECT_EQ(math::trigamma(-3.0), INFINITY);
}

TEST(FloatFunctions, InverseOfTheErrorFunction) {
  // Put right by a step of Newton with more digits.
  const auto exact = [](double x) {
    const long double size = std::abs(x), y = math::erfinv(std::abs(x));
    const long double error = size < 0.5L ? std::erf(y) - size : (1 - size) - std::erfc(y);
    return std::copysign(y - error / (M_2_SQRTPIl * std::exp(-y * y)), static_cast<long double>(x));
  };
  std::mt19937_64 engine(7);
  double worst = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = std::uniform_real_distribution<double>(-1, 1)(engine);
    for (const double near : {x, x / 1000, std::copysign(1 - std::exp2(x * 25 - 26), x)})
      worst = std::max(worst, ulps(math::erfinv(near), exact(near)));
  }
  EXPECT_LE(worst, 4);
}

template <typename T>
class Specials : public testing::Test {};
using RealTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Specials, RealTypes);

TYPED_TEST(Specials, InfinitiesZerosAndNan) {
  using T = TypeParam;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(Expm1{}(-kInfinity), T(-1));
  EXPECT_EQ(Expm1{}(kInfinity), kInfinity);
  EXPECT_TRUE(std::signbit(Expm1{}(T(-0.0))));
  EXPECT_EQ(Log1p{}(T(-1)), -kInfinity);
  EXPECT_EQ(Log1p{}(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(Log1p{}(T(-1.5))));
  EXPECT_TRUE(std::signbit(Log1p{}(T(-0.0))));
  EXPECT_EQ(Tanh{}(-kInfinity), T(-1));
  EXPECT_TRUE(std::signbit(Tanh{}(T(-0.0))));
  EXPECT_EQ(Erf{}(kInfinity), T(1));
  EXPECT_EQ(Erfc{}(-kInfinity), T(2));
  EXPECT_EQ(Erfc{}(kInfinity), T(0));
  EXPECT_EQ(Erfc{}(T(30)), T(0));
  EXPECT_EQ(Gelu{}(T(-100)), T(0));
  EXPECT_TRUE(std::isnan(Gelu{}(-kInfinity)));
  EXPECT_EQ(Sigmoid{}(-kInfinity), T(0));
  EXPECT_EQ(Sigmoid{}(kInfinity), T(1));
  EXPECT_EQ(Logit{}(T(1)), kInfinity);
  EXPECT_TRUE(std::isnan(Logit{}(T(2))));
  EXPECT_EQ(Gelu{}(kInfinity), kInfinity);
  EXPECT_EQ(GeluTanh{}(kInfinity), kInfinity);
  EXPECT_EQ(Softplus{}(kInfinity), kInfinity);
  EXPECT_EQ(Softplus{}(-kInfinity), T(0));
  EXPECT_EQ(Sign{}(kNan), T(0));
  EXPECT_TRUE(std::isnan(Relu{}(kNan)));
  EXPECT_TRUE(std::isnan(Clamp{}(kNan, T(0), T(1))) && std::isnan(Clamp{}(T(0), kNan, T(1))));
  EXPECT_EQ(Clamp{}(T(2), T(3), T(1)), T(1));
  EXPECT_EQ(Round{}(T(2.5)), T(2));
  EXPECT_EQ(Round{}(T(-3.5)), T(-4));
  EXPECT_EQ(Frac{}(T(-2.25)), T(-0.25));
  EXPECT_TRUE(LogicalAnd{}(kNan, T(1)));
  EXPECT_TRUE(IsInf{}(-kInfinity) && !IsInf{}(kNan) && !IsInf{}(T(1)));
  for (const T nan : {Expm1{}(kNan), Log1p{}(kNan), Tanh{}(kNan), Erf{}(kNan), Erfc{}(kNan), Sigmoid{}(kNan),
                      Silu{}(kNan), Gelu{}(kNan), GeluTanh{}(kNan), Softplus{}(kNan)})
    EXPECT_TRUE(std::isnan(nan));
  EXPECT_EQ(FloorDivide{}(T(-7), T(2)), T(-4));
  EXPECT_EQ(FloorDivide{}(T(6), T(0.1)), T(59));
  EXPECT_EQ(FloorDivide{}(T(-1), kInfinity), T(-1));
  EXPECT_EQ(FloorDivide{}(T(1), T(0)), kInfinity);
  EXPECT_EQ(Remainder{}(T(-7), T(2)), T(1));
  EXPECT_EQ(Remainder{}(T(7), T(-2)), T(-1));
  EXPECT_EQ(Fmod{}(T(-7), T(2)), T(-1));
}

TEST(Integers, DivisionAndShifts) {
  using I = std::int64_t;
  constexpr I kLeast = std::numeric_limits<I>::min();
  for (const I a : {I{7}, I{-7}, I{6}, I{0}}) {
    for (const I b : {I{2}, I{-2}, I{1}, I{-1}}) {
      const double quotient = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(FloorDivide{}(a, b), static_cast<I>(std::floor(quotient)));
      EXPECT_EQ(TruncDivide{}(a, b), static_cast<I>(std::trunc(quotient)));
      EXPECT_EQ(Remainder{}(a, b), a - b * FloorDivide{}(a, b));
      EXPECT_EQ(Fmod{}(a, b), a - b * TruncDivide{}(a, b));
    }
  }
  EXPECT_EQ(TruncDivide{}(kLeast, I{-1}), kLeast);
  EXPECT_EQ(FloorDivide{}(kLeast, I{-1}), kLeast);
  EXPECT_EQ(Remainder{}(kLeast, I{-1}), 0);
  EXPECT_EQ(FloorDivide{}(I{5}, I{0}), 0);
  EXPECT_EQ(Remainder{}(I{5}, I{0}), 0);
  EXPECT_EQ(BitwiseLeftShift{}(I{-3}, I{2}), -12);
  EXPECT_EQ(BitwiseLeftShift{}(I{1}, I{64}), 0);
  EXPECT_EQ(BitwiseLeftShift{}(I{1}, I{-1}), 0);
  EXPECT_EQ(BitwiseRightShift{}(I{-9}, I{1}), -5);
  EXPECT_EQ(BitwiseRightShift{}(I{-9}, I{70}), -1);
  EXPECT_EQ(BitwiseNot{}(I{5}), -6);
}

}  // namespace
}  // namespace lectern::kernels
