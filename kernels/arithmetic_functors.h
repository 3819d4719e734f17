#pragma once

#include "kernels/exp_log.h"
#include "kernels/functor.h"
#include "kernels/pow.h"

// Arithmetic on one element or two.

namespace lectern::kernels {

struct Abs {
  template <ComputeType T>
  LECTERN_HD T operator()(T x) const {
    if constexpr (RealComputeType<T>) {
      return math::abs(x);
    } else {
      return x < 0 ? static_cast<T>(-static_cast<wrapping<T>>(x)) : x;
    }
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g * static_cast<T>((x > 0) - (x < 0));
  }
};

LECTERN_UNARY_FUNCTOR(Neg, ComputeType, return static_cast<T>(-static_cast<wrapping<T>>(x)), grad, return -g);

/// 0 for NaN.
struct Sign : ZeroGradient {
  template <ComputeType T>
  LECTERN_HD T operator()(T x) const {
    return static_cast<T>((x > 0) - (x < 0));
  }
};

LECTERN_UNARY_FUNCTOR(Square, ComputeType,
                      return static_cast<T>(static_cast<wrapping<T>>(x) * static_cast<wrapping<T>>(x)), input,
                      return g * (T(2) * x));
LECTERN_UNARY_FUNCTOR(Cube, ComputeType,
                      return static_cast<T>(static_cast<wrapping<T>>(Square{}(x)) *
                                            static_cast<wrapping<T>>(x)),
                      input, return g * (T(3) * (x * x)));
LECTERN_UNARY_FUNCTOR(Sqrt, RealComputeType, return math::sqrt(x), output, return g / (T(2) * y));
LECTERN_UNARY_FUNCTOR(Rsqrt, RealComputeType, return T(1) / math::sqrt(x), output,
                      return T(-0.5) * g * (y * y * y));
LECTERN_UNARY_FUNCTOR(Reciprocal, RealComputeType, return T(1) / x, output, return -g * (y * y));

struct Sub {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
  }
  static constexpr GradientReads kGradientA = GradientReads::pass;
  static constexpr GradientReads kGradientB = GradientReads::grad;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g) const {
    return -g;
  }
};

LECTERN_BINARY_FUNCTOR(Div, RealComputeType, return a / b, b, return g / b, both, return -g * ((a / b) / b));

// For integers, division by 0 gives 0 here, and callers reject it where they can; -1 is a special case, since
// the quotient of the lowest integer and -1 overflows, which traps.

/// Rounds towards 0.
struct TruncDivide : ZeroGradient {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    if constexpr (RealComputeType<T>) {
      return math::trunc(a / b);
    } else {
      if (b == 0) return 0;
      return b == -1 ? static_cast<T>(-static_cast<wrapping<T>>(a)) : a / b;
    }
  }
};

/// The remainder of truncating division, with the sign of a.
struct Fmod {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    if constexpr (RealComputeType<T>) {
      return math::fmod(a, b);
    } else {
      return b == 0 || b == -1 ? 0 : a % b;
    }
  }
  static constexpr GradientReads kGradientA = GradientReads::pass;
  static constexpr GradientReads kGradientB = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a, T b) const {
    return -g * math::trunc(a / b);
  }
};

/// floor(a / b) by Python's rule: b times it plus the remainder gives a.
template <RealComputeType T>
LECTERN_HD T floor_quotient(T a, T b) {
  const T rest = math::fmod(a, b);
  T quotient = (a - rest) / b;
  quotient = rest != 0 && (b < 0) != (rest < 0) ? quotient - T(1) : quotient;
  const T below = math::floor(quotient);
  const T whole = quotient - below > T(0.5) ? below + T(1) : below;
  const T signed_whole = quotient == 0 ? math::copysign(T(0), a / b) : whole;
  return b == 0 ? a / b : signed_whole;
}

/// The remainder of floor division, with the sign of b, as Python's %.
struct Remainder {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    const T rest = Fmod{}(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  static constexpr GradientReads kGradientA = GradientReads::pass;
  static constexpr GradientReads kGradientB = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a, T b) const {
    return -g * floor_quotient(a, b);
  }
};

/// Rounds down, as Python's //.
struct FloorDivide : ZeroGradient {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    if constexpr (RealComputeType<T>) {
      return floor_quotient(a, b);
    } else {
      const T quotient = TruncDivide{}(a, b);
      return Fmod{}(a, b) != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    }
  }
};

LECTERN_BINARY_FUNCTOR(Pow, ComputeType, return math::pow(a, b), both,
                       return b == 0 ? T(0) : g * (b * math::pow(a, b - T(1))), both,
                       return a == 0 && b >= 0 ? T(0) : g * (math::pow(a, b) * math::log(a)));

}  // namespace lectern::kernels
