#pragma once

#include "kernels/fold_functors.h"
#include "kernels/functor.h"

// One of several elements.

namespace lectern::kernels {

/// Where both are equal, the gradient is a's alone.
struct ClampMin : Maximum {
  LECTERN_BINARY_GRADIENTS(both, return a >= b ? g : T(0), both, return a < b ? g : T(0))
};
struct ClampMax : Minimum {
  LECTERN_BINARY_GRADIENTS(both, return a <= b ? g : T(0), both, return a > b ? g : T(0))
};

/// The step from 0 to 1, which is b at 0; 0 for NaN.
struct Heaviside {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return a == 0 ? b : static_cast<T>(a > 0);
  }
  static constexpr GradientReads kGradientA = GradientReads::zero;
  static constexpr GradientReads kGradientB = GradientReads::a;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a) const {
    return a == 0 ? g : T(0);
  }
};

/// Propagates NaN; if the lower bound is above the upper one, the upper one wins. By selections of one
/// comparison, which vectorise.
struct Clamp {
  template <ComputeType T>
  LECTERN_HD T operator()(T x, T low, T high) const {
    const T above = x < low ? low : x;
    const T from_low = math::is_nan(low) ? low : above;
    const T below = from_low > high ? high : from_low;
    return math::is_nan(high) ? high : below;
  }
};

struct Where {
  template <ComputeType T>
  LECTERN_HD T operator()(T condition, T a, T b) const {
    return condition != 0 ? a : b;
  }
};

}  // namespace lectern::kernels
