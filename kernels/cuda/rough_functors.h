#pragma once

#include <cmath>
#include <type_traits>

#include "base/host_device.h"
#include "kernels/elementwise_functors.h"
#include "kernels/error_function.h"
#include "kernels/gradient_functors.h"
#include "kernels/math.h"

// Functors whose results are rounded to 16 bits, where those of kernels/elementwise_functors.h would take
// longer than memory does: with a GPU's approximate exponential and reciprocal, within some 2^-16 of the
// exact value, and 0 instead of subnormal floats. A result differs from the CPU's by one unit in the last
// place of 16 bits where the exact value lies next to the middle between two; gelu's slope near its zero at
// -0.75, where its terms cancel, by several.

namespace lectern::kernels::cuda {

namespace rough {

/// 2^x.
LECTERN_HD float exp2(float x) {
#ifdef __CUDA_ARCH__
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
#else
  return std::exp2(x);
#endif
}

LECTERN_HD float reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1.0F / x;
#endif
}

/// The base-2 logarithm, of subnormal numbers too: within 2^-22 between 1/2 and 2, elsewhere within that part
/// of it.
LECTERN_HD float log2(float x) {
#ifdef __CUDA_ARCH__
  float exponent;
  asm("lg2.approx.f32 %0, %1;" : "=f"(exponent) : "f"(x));
  return exponent;
#else
  return std::log2(x);
#endif
}

inline constexpr float kLog2E = 0x1.715476p0F;

LECTERN_HD float exp(float x) {
  return exp2(kLog2E * x);
}
/// ln(sum), where sum is 1 + x. Near 1 by the series of ln(1 + x): there log2() has few digits.
LECTERN_HD float log1p(float x, float sum) {
  const float near_one = x * math::horner(x, 0.2F, -0.25F, 1 / 3.0F, -0.5F, 1.0F);
  return math::abs(x) < 0.0625F ? near_one : kLn2<float> * log2(sum);
}
LECTERN_HD float log(float x) {
  return log1p(x - 1.0F, x);
}
/// ln(1 + e^x) for x up to 20.
LECTERN_HD float softplus(float x) {
  const float power = exp(x);
  return log1p(power, 1.0F + power);
}
LECTERN_HD float sigmoid(float x) {
  return reciprocal(1.0F + exp2(-kLog2E * x));
}
LECTERN_HD float silu(float x) {
  return x * sigmoid(x);
}
LECTERN_HD float silu_slope(float x) {
  const float s = sigmoid(x);
  return s * math::fma(x, 1.0F - s, 1.0F);
}

/// √(2π) times the normal density at x.
LECTERN_HD float gaussian(float x) {
  return exp2(-0.5F * kLog2E * x * x);
}
/// The normal distribution's probability beyond `size`, divided by gaussian(size): math::half_scaled_erfc()
/// to fewer digits, a fit within 2^-16 of it for 0 <= size <= 20.
LECTERN_HD float scaled_tail(float size) {
  const float t = math::fma(-2.0F * math::kNormalMiddle, reciprocal(size + math::kNormalMiddle), 1.0F);
  return math::horner(t, 0x1.5b6f3ap-9F, -0x1.d32662p-7F, 0x1.3db630p-5F, -0x1.3a1e64p-4F, 0x1.f2598ap-4F,
                      -0x1.45d66cp-3F, 0x1.63c74ep-4F);
}
/// erfc(size) for size ≥ 0: twice the probability beyond √2 size.
LECTERN_HD float erfc_size(float size) {
  constexpr float kNoTail = 20;  // from there on, where the fit ends; NaN stays
  const float scaled = 0x1.6a09e6p0F * size > kNoTail ? kNoTail : 0x1.6a09e6p0F * size;
  return 2.0F * gaussian(scaled) * scaled_tail(scaled);
}
LECTERN_HD float gelu(float x) {
  constexpr float kNoTail = 20;  // from there on; the product of it and infinity were NaN
  const float size = math::abs(x) < kNoTail ? math::abs(x) : kNoTail;
  const float tail = gaussian(size) * scaled_tail(size);
  return math::fma(-size, tail, x > 0 ? x : x * 0.0F);
}
LECTERN_HD float gelu_slope(float x) {
  constexpr float kReciprocal = 0.39894228F;  // of √(2π)
  const float density = gaussian(x);
  const float tail = density * scaled_tail(math::abs(x));
  return math::fma(x * kReciprocal, density, x < 0 ? tail : 1.0F - tail);
}

}  // namespace rough

/// The functor itself, or another one for floats whose result is rounded to 16 bits.
template <typename Functor>
struct RoughFunctor : Functor {};

#define LECTERN_ROUGH_FUNCTOR(Functor, parameters, value)          \
  template <>                                                      \
  struct RoughFunctor<Functor> {                                   \
    LECTERN_HD float operator() parameters const { return value; } \
  }

LECTERN_ROUGH_FUNCTOR(Exp, (float x), rough::exp(x));
LECTERN_ROUGH_FUNCTOR(Exp2, (float x), rough::exp2(x));
LECTERN_ROUGH_FUNCTOR(Log, (float x), rough::log(x));
LECTERN_ROUGH_FUNCTOR(Log1p, (float x), rough::log1p(x, 1.0F + x));
LECTERN_ROUGH_FUNCTOR(Log2, (float x), rough::log(x) * rough::kLog2E);
LECTERN_ROUGH_FUNCTOR(Log10, (float x), rough::log(x) * (1 / kLn10<float>));
LECTERN_ROUGH_FUNCTOR(Softplus, (float x), x > 20.0F ? x : rough::softplus(x));
LECTERN_ROUGH_FUNCTOR(LogSigmoid, (float x), (x < 0 ? x : 0.0F) - rough::softplus(-math::abs(x)));

template <>
struct RoughFunctor<Erf> {
  /// Near 0 as math::erf().
  LECTERN_HD float operator()(float x) const {
    const float near_zero = x * math::erf_series(x * x);
    const float far = math::copysign(1.0F - rough::erfc_size(math::abs(x)), x);
    return math::abs(x) < math::kErfSeriesEnd ? near_zero : far;
  }
};
template <>
struct RoughFunctor<Erfc> {
  LECTERN_HD float operator()(float x) const {
    const float tail = rough::erfc_size(math::abs(x));
    return x < 0 ? 2.0F - tail : tail;
  }
};

LECTERN_ROUGH_FUNCTOR(Sigmoid, (float x), rough::sigmoid(x));
LECTERN_ROUGH_FUNCTOR(Silu, (float x), rough::silu(x));
LECTERN_ROUGH_FUNCTOR(SiluMul, (float a, float b), rough::silu(a) * b);
LECTERN_ROUGH_FUNCTOR(Gelu, (float x), rough::gelu(x));
LECTERN_ROUGH_FUNCTOR(BiasGelu, (float a, float b), rough::gelu(a + b));
LECTERN_ROUGH_FUNCTOR(GeluTanh, (float x), rough::sigmoid(GeluTanh::twice_u(x)) * x);

/// Near 0 by its series: 1 - 2 / (e^2x + 1) has few digits there.
template <>
struct RoughFunctor<Tanh> {
  LECTERN_HD float operator()(float x) const {
    const float square = x * x;
    const float near_zero = x * math::horner(square, -0x1.ba1ba2p-5F, 0x1.111112p-3F, -0x1.555556p-2F, 1.0F);
    const float far = math::fma(-2.0F, rough::sigmoid(-2.0F * x), 1.0F);
    return square < 0.0625F ? near_zero : far;
  }
};

LECTERN_ROUGH_FUNCTOR(UnaryGradient<Softplus>, (float g, float x), x > 20.0F ? g : g * rough::sigmoid(x));
LECTERN_ROUGH_FUNCTOR(UnaryGradient<LogSigmoid>, (float g, float x), rough::sigmoid(-x) * g);
LECTERN_ROUGH_FUNCTOR(UnaryGradient<Silu>, (float g, float x), rough::silu_slope(x) * g);
LECTERN_ROUGH_FUNCTOR(UnaryGradient<Gelu>, (float g, float x), rough::gelu_slope(x) * g);

template <>
struct RoughFunctor<UnaryGradient<GeluTanh>> {
  LECTERN_HD float operator()(float g, float x) const {
    const float s = rough::sigmoid(GeluTanh::twice_u(x));
    return g * math::fma(x * s, (1.0F - s) * GeluTanh::twice_u_slope(x), s);
  }
};
template <>
struct RoughFunctor<BinaryGradient<SiluMul, Side::a>> {
  LECTERN_HD float operator()(float g, float a, float b) const { return g * b * rough::silu_slope(a); }
};
template <>
struct RoughFunctor<BinaryGradient<SiluMul, Side::b>> {
  LECTERN_HD float operator()(float g, float a) const { return g * rough::silu(a); }
};
template <Side side>
struct RoughFunctor<BinaryGradient<BiasGelu, side>> {
  LECTERN_HD float operator()(float g, float a, float b) const { return g * rough::gelu_slope(a + b); }
};

#undef LECTERN_ROUGH_FUNCTOR

/// Whether that is another one.
template <typename Functor>
inline constexpr bool kHasRoughForm = !std::is_base_of_v<Functor, RoughFunctor<Functor>>;

/// What is applied to elements of type T.
template <typename Functor, typename T>
using FunctorOf =
    std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T>, RoughFunctor<Functor>, Functor>;

}  // namespace lectern::kernels::cuda
