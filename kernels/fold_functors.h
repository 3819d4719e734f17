#pragma once

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/math.h"

// The functors that elementwise operations and reductions share: they make one number of two, in any order.

namespace lectern::kernels {

struct Add {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
  }
};

/// NaN wins.
struct Maximum {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return a > b || is_nan(a) ? a : b;
  }
};

/// NaN wins.
struct Minimum {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return a < b || is_nan(a) ? a : b;
  }
};

}  // namespace lectern::kernels
