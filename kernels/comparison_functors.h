#pragma once

#include "kernels/functor.h"

// Predicates of one element or two. NaN is true, and equal to nothing.

namespace lectern::kernels {

LECTERN_FUNCTOR(Eq, ComputeType, bool, (T a, T b), return a == b);
LECTERN_FUNCTOR(Ne, ComputeType, bool, (T a, T b), return a != b);
LECTERN_FUNCTOR(Lt, ComputeType, bool, (T a, T b), return a < b);
LECTERN_FUNCTOR(Le, ComputeType, bool, (T a, T b), return a <= b);
LECTERN_FUNCTOR(Gt, ComputeType, bool, (T a, T b), return a > b);
LECTERN_FUNCTOR(Ge, ComputeType, bool, (T a, T b), return a >= b);

LECTERN_FUNCTOR(LogicalAnd, ComputeType, bool, (T a, T b), return a != 0 && b != 0);
LECTERN_FUNCTOR(LogicalOr, ComputeType, bool, (T a, T b), return a != 0 || b != 0);
LECTERN_FUNCTOR(LogicalXor, ComputeType, bool, (T a, T b), return (a != 0) != (b != 0));
LECTERN_FUNCTOR(LogicalNot, ComputeType, bool, (T x), return x == 0);

LECTERN_FUNCTOR(IsNan, ComputeType, bool, (T x), return math::is_nan(x));
LECTERN_FUNCTOR(IsInf, ComputeType, bool, (T x), return !math::is_finite(x) && !math::is_nan(x));
LECTERN_FUNCTOR(IsFinite, ComputeType, bool, (T x), return math::is_finite(x));
LECTERN_FUNCTOR(IsPosInf, ComputeType, bool, (T x), return !math::is_finite(x) && x > 0);
LECTERN_FUNCTOR(IsNegInf, ComputeType, bool, (T x), return !math::is_finite(x) && x < 0);

/// True of -0.
struct SignBit : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T x) const {
    if constexpr (RealComputeType<T>) {
      return math::copysign(T(1), x) < 0;
    } else {
      return x < 0;
    }
  }
};

}  // namespace lectern::kernels
