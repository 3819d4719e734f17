#pragma once

#include "kernels/functor.h"

// Rounding to integers; integers stay unchanged.

namespace lectern::kernels {

#define LECTERN_ROUNDING_FUNCTOR(Name, round) \
  struct Name : ZeroGradient {                \
    template <ComputeType T>                  \
    LECTERN_HD T operator()(T x) const {      \
      if constexpr (RealComputeType<T>) {     \
        return round(x);                      \
      } else {                                \
        return x;                             \
      }                                       \
    }                                         \
  }
LECTERN_ROUNDING_FUNCTOR(Floor, math::floor);
LECTERN_ROUNDING_FUNCTOR(Ceil, math::ceil);
LECTERN_ROUNDING_FUNCTOR(Trunc, math::trunc);
/// Ties to even.
LECTERN_ROUNDING_FUNCTOR(Round, math::round);
#undef LECTERN_ROUNDING_FUNCTOR

/// x - trunc(x), with the sign of x.
struct Frac {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return x - math::trunc(x);
  }
  static constexpr GradientReads kGradient = GradientReads::pass;
};

}  // namespace lectern::kernels
