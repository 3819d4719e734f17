#pragma once

#include "kernels/expm1_log1p.h"
#include "kernels/functor.h"

// Trigonometric and hyperbolic functions.

namespace lectern::kernels {

LECTERN_UNARY_FUNCTOR(Sin, RealComputeType, return math::sin(x), input, return g * math::cos(x));
LECTERN_UNARY_FUNCTOR(Cos, RealComputeType, return math::cos(x), input, return -g * math::sin(x));
LECTERN_UNARY_FUNCTOR(Tan, RealComputeType, return math::tan(x), output, return g * (T(1) + y * y));
LECTERN_UNARY_FUNCTOR(Asin, RealComputeType, return math::asin(x), input,
                      return g / math::sqrt(T(1) - x * x));
LECTERN_UNARY_FUNCTOR(Acos, RealComputeType, return math::acos(x), input,
                      return -g / math::sqrt(T(1) - x * x));
LECTERN_UNARY_FUNCTOR(Atan, RealComputeType, return math::atan(x), input, return g / (x * x + T(1)));

/// sin(πx) / (πx); 1 at 0.
struct Sinc {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    const T angle = kPi<T> * x;
    return x == 0 ? T(1) : math::sin(angle) / angle;
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    const T angle = kPi<T> * x, square = angle * x;
    const T slope = (angle * math::cos(angle) - math::sin(angle)) / square;
    return square == 0 ? T(0) : g * slope;
  }

 private:
  template <typename T>
  static constexpr T kPi = T(3.141592653589793238462643383279502884);
};

LECTERN_UNARY_FUNCTOR(Sinh, RealComputeType, return math::sinh(x), input, return g * math::cosh(x));
LECTERN_UNARY_FUNCTOR(Cosh, RealComputeType, return math::cosh(x), input, return g * math::sinh(x));
LECTERN_UNARY_FUNCTOR(Tanh, RealComputeType, return math::tanh(x), output, return g * (T(1) - y * y));
LECTERN_UNARY_FUNCTOR(Asinh, RealComputeType, return math::asinh(x), input,
                      return g / math::sqrt(x * x + T(1)));
LECTERN_UNARY_FUNCTOR(Acosh, RealComputeType, return math::acosh(x), input,
                      return g / math::sqrt(x * x - T(1)));
LECTERN_UNARY_FUNCTOR(Atanh, RealComputeType, return math::atanh(x), input, return g / (T(1) - x * x));

template <RealComputeType T>
inline constexpr T kDegree = T(0.017453292519943295769236907684886127);  // π / 180
template <RealComputeType T>
inline constexpr T kRadian = T(57.295779513082320876798154814105170);  // 180 / π
LECTERN_UNARY_FUNCTOR(Deg2Rad, RealComputeType, return x * kDegree<T>, grad, return g * kDegree<T>);
LECTERN_UNARY_FUNCTOR(Rad2Deg, RealComputeType, return x * kRadian<T>, grad, return g * kRadian<T>);

/// The length of (a, b), even where a square would overflow.
LECTERN_BINARY_FUNCTOR(Hypot, RealComputeType, return math::hypot(a, b), both,
                       return g * (a / math::hypot(a, b)), both, return g * (b / math::hypot(b, a)));

/// The angle of the point (b, a).
LECTERN_BINARY_FUNCTOR(Atan2, RealComputeType, return math::atan2(a, b), both,
                       return g * (b / (a * a + b * b)), both, return g * (-a / (a * a + b * b)));

}  // namespace lectern::kernels
