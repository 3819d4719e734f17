#pragma once

#include <limits>

#include "kernels/error_function.h"
#include "kernels/exp_log.h"
#include "kernels/expm1_log1p.h"
#include "kernels/functor.h"

// Activation functions.

namespace lectern::kernels {

template <RealComputeType T>
LECTERN_HD T sigmoid(T x) {
  return T(1) / (T(1) + math::exp(-x));
}

/// The derivative of x sigmoid(x).
template <RealComputeType T>
LECTERN_HD T silu_slope(T x) {
  const T s = sigmoid(x);
  return s * (T(1) + x * (T(1) - s));
}

LECTERN_UNARY_FUNCTOR(Sigmoid, RealComputeType, return sigmoid(x), output, return g * ((T(1) - y) * y));

/// The inverse of the sigmoid: ln(x / (1 - x)).
struct Logit {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return math::log(x / (T(1) - x));
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    const T slope = T(1) / (x * (T(1) - x));
    return g * (x < 0 || x > 1 ? std::numeric_limits<T>::quiet_NaN() : slope);
  }
};

/// Propagates NaN.
LECTERN_UNARY_FUNCTOR(Relu, ComputeType, return x <= 0 ? T(0) : x, output, return y <= 0 ? T(0) : g);

LECTERN_UNARY_FUNCTOR(Silu, RealComputeType, return x / (T(1) + math::exp(-x)), input,
                      return g * silu_slope(x));

/// x Φ(x), with Φ the normal distribution function.
struct Gelu {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return math::gelu(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    constexpr T kReciprocal = T(0.398942280401432677939946059934381868);  // of √(2π)
    const auto [density, probability] = math::normal_at(x);
    return g * (probability + x * (density * kReciprocal));
  }
};

/// The usual approximation of Gelu: x (1 + tanh(u)) / 2 = x sigmoid(2u), u = √(2/π) (x + 0.044715 x³).
struct GeluTanh {
  template <RealComputeType T>
  LECTERN_HD static T twice_u(T x) {
    return x * (kScale<T> + kCubic<T> * (x * x));
  }
  /// Its derivative.
  template <RealComputeType T>
  LECTERN_HD static T twice_u_slope(T x) {
    return kScale<T> + T(3) * kCubic<T> * (x * x);
  }

  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return x * sigmoid(twice_u(x));
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    const T s = sigmoid(twice_u(x));
    return g * (s + x * s * (T(1) - s) * twice_u_slope(x));
  }

 private:
  template <typename T>
  static constexpr T kScale = T(1.595769121605730711759342280400327);  ///< 2 √(2/π)
  template <typename T>
  static constexpr T kCubic = T(0.071354816272600248776349979843281);  ///< 0.044715 times it
};

/// ln(1 + e^x); x itself from 20 on.
LECTERN_UNARY_FUNCTOR(Softplus, RealComputeType, return x > 20 ? x : math::log1p(math::exp(x)), input,
                      return x > 20 ? g : g * sigmoid(x));

/// ln(sigmoid(x)), without overflow.
LECTERN_UNARY_FUNCTOR(LogSigmoid, RealComputeType,
                      return (x < 0 ? x : T(0)) - math::log1p(math::exp(x < 0 ? x : -x)), input,
                      return g * sigmoid(-x));

/// The gate of SwiGLU.
LECTERN_BINARY_FUNCTOR(SiluMul, RealComputeType, return Silu{}(a)*b, both, return g * b * silu_slope(a), a,
                       return g * Silu{}(a));

/// Gelu of a sum, say of a product and its bias, in one pass and rounded once.
LECTERN_BINARY_FUNCTOR(BiasGelu, RealComputeType, return Gelu{}(a + b), both,
                       return Gelu{}.gradient(g, a + b), both, return Gelu{}.gradient(g, a + b));

}  // namespace lectern::kernels
