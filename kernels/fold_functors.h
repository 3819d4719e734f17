#pragma once

#include "kernels/functor.h"

// The functors that elementwise operations and reductions share: they combine two values, in any order.

namespace lectern::kernels {

struct Add {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
  }
  static constexpr GradientReads kGradientA = GradientReads::pass;
  static constexpr GradientReads kGradientB = GradientReads::pass;
};

LECTERN_BINARY_FUNCTOR(Mul, ComputeType,
                       return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b)), b,
                       return g * b, a, return g * a);

/// Propagates NaN. Equal operands share the gradient.
LECTERN_BINARY_FUNCTOR(Maximum, ComputeType, return a > b || math::is_nan(a) ? a : b, both,
                       return a < b ? T(0) : (a == b ? g / T(2) : g), both,
                       return b < a ? T(0) : (b == a ? g / T(2) : g));

/// Propagates NaN. Equal operands share the gradient.
LECTERN_BINARY_FUNCTOR(Minimum, ComputeType, return a < b || math::is_nan(a) ? a : b, both,
                       return a > b ? T(0) : (a == b ? g / T(2) : g), both,
                       return b > a ? T(0) : (b == a ? g / T(2) : g));

/// Ignores NaN unless both are. Of equal operands the first has the gradient.
LECTERN_BINARY_FUNCTOR(FMax, ComputeType, return a >= b || math::is_nan(b) ? a : b, both,
                       return a >= b || math::is_nan(b) ? g : T(0), both,
                       return a >= b || math::is_nan(b) ? T(0) : g);
LECTERN_BINARY_FUNCTOR(FMin, ComputeType, return a <= b || math::is_nan(b) ? a : b, both,
                       return a <= b || math::is_nan(b) ? g : T(0), both,
                       return a <= b || math::is_nan(b) ? T(0) : g);

/// |a| with the sign of b.
struct CopySign {
  template <RealComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return math::copysign(a, b);
  }
  static constexpr GradientReads kGradientA = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_a(T g, T a, T b) const {
    return a == 0 ? T(0) : g * (math::copysign(a, b) / a);
  }
  static constexpr GradientReads kGradientB = GradientReads::zero;
};

}  // namespace lectern::kernels
