#pragma once

#include "kernels/fold_functors.h"
#include "kernels/functor.h"

// Arithmetic on three elements.

namespace lectern::kernels {

/// Linear interpolation, from the nearer end, so that weights of 0 and 1 give the ends themselves.
struct Lerp {
  template <RealComputeType T>
  LECTERN_HD T operator()(T a, T b, T weight) const {
    const T distance = b - a;
    return weight < T(0.5) && weight > T(-0.5) ? a + weight * distance : b - distance * (T(1) - weight);
  }
};

/// a + b c.
struct AddCMul {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b, T c) const {
    return Add{}(a, Mul{}(b, c));
  }
};

/// a + b / c.
struct AddCDiv {
  template <RealComputeType T>
  LECTERN_HD T operator()(T a, T b, T c) const {
    return a + b / c;
  }
};

}  // namespace lectern::kernels
