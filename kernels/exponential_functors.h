#pragma once

#include "kernels/error_function.h"
#include "kernels/exp_log.h"
#include "kernels/expm1_log1p.h"
#include "kernels/functor.h"
#include "kernels/gamma_function.h"

// Exponential functions, logarithms, error functions and the gamma function.

namespace lectern::kernels {

template <RealComputeType T>
inline constexpr T kLn2 = T(0.693147180559945309417232121458176568);
template <RealComputeType T>
inline constexpr T kLn10 = T(2.302585092994045684017991454684364208);
template <RealComputeType T>
inline constexpr T kTwoOverRootPi = T(1.128379167095512573896158903121545172);
template <RealComputeType T>
inline constexpr T kHalfRootPi = T(0.886226925452758013649083741670572591);

LECTERN_UNARY_FUNCTOR(Exp, RealComputeType, return math::exp(x), output, return g * y);
LECTERN_UNARY_FUNCTOR(Exp2, RealComputeType, return math::exp2(x), output, return g * y * kLn2<T>);
LECTERN_UNARY_FUNCTOR(Expm1, RealComputeType, return math::expm1(x), output, return g * (y + T(1)));
LECTERN_UNARY_FUNCTOR(Log, RealComputeType, return math::log(x), input, return g / x);
LECTERN_UNARY_FUNCTOR(Log1p, RealComputeType, return math::log1p(x), input, return g / (x + T(1)));
LECTERN_UNARY_FUNCTOR(Log2, RealComputeType, return math::log2(x), input, return g / (x * kLn2<T>));
LECTERN_UNARY_FUNCTOR(Log10, RealComputeType, return math::log10(x), input, return g / (x * kLn10<T>));

LECTERN_UNARY_FUNCTOR(Erf, RealComputeType, return math::erf(x), input,
                      return kTwoOverRootPi<T> * math::exp(-x * x) * g);
LECTERN_UNARY_FUNCTOR(Erfc, RealComputeType, return math::erfc(x), input,
                      return -kTwoOverRootPi<T> * math::exp(-x * x) * g);
LECTERN_UNARY_FUNCTOR(ErfInv, RealComputeType, return math::erfinv(x), output,
                      return kHalfRootPi<T> * math::exp(y * y) * g);

LECTERN_UNARY_FUNCTOR(Digamma, RealComputeType, return static_cast<T>(math::digamma(static_cast<double>(x))),
                      input, return g * static_cast<T>(math::trigamma(static_cast<double>(x))));
/// ln |Γ(x)|.
LECTERN_UNARY_FUNCTOR(LGamma, RealComputeType, return math::lgamma(x), input,
                      return g * static_cast<T>(math::digamma(static_cast<double>(x))));

/// ln(e^a + e^b) or, in base 2, log2(2^a + 2^b), without overflow.
template <bool kBase2>
struct LogAddPowers {
  template <RealComputeType T>
  LECTERN_HD static T power(T x) {
    return kBase2 ? math::exp2(x) : math::exp(x);
  }
  template <RealComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    const T most = a > b ? a : b;
    const T more = math::log1p(power(-math::abs(a - b)));
    const T sum = most + (kBase2 ? more * T(1.442695040888963407359924681001892137) : more);
    return a == b && !math::is_finite(a) ? a : sum;
  }
  LECTERN_BINARY_GRADIENTS(both, return g / (T(1) + power(b - a)), both, return g / (T(1) + power(a - b)))
};
using LogAddExp = LogAddPowers<false>;
using LogAddExp2 = LogAddPowers<true>;

/// a ln(b), and 0 where a is 0, unless b is NaN.
struct XLogY {
  template <RealComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    const T product = a * math::log(b);
    return a == 0 && !math::is_nan(b) ? T(0) : product;
  }
  LECTERN_BINARY_GRADIENTS(both, return a == 0 && b <= 0 ? T(0) : (*this)(g, b), both, return g * a / b)
};

}  // namespace lectern::kernels
