#pragma once

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/gradient_reads.h"
#include "kernels/math.h"

// Rounding to integers; integers stay unchanged.

namespace lectern::kernels {

struct Floor : ZeroGradient {
  template <ComputeType T>
  LECTERN_HD T operator()(T x) const {
    if constexpr (RealComputeType<T>) {
      return floor_of(x);
    } else {
      return x;
    }
  }
};

struct Ceil : ZeroGradient {
  template <ComputeType T>
  LECTERN_HD T operator()(T x) const {
    if constexpr (RealComputeType<T>) {
      return ceil_of(x);
    } else {
      return x;
    }
  }
};

struct Trunc : ZeroGradient {
  template <ComputeType T>
  LECTERN_HD T operator()(T x) const {
    if constexpr (RealComputeType<T>) {
      return trunc_of(x);
    } else {
      return x;
    }
  }
};

/// Ties to even.
struct Round : ZeroGradient {
  template <ComputeType T>
  LECTERN_HD T operator()(T x) const {
    if constexpr (RealComputeType<T>) {
      return round_of(x);
    } else {
      return x;
    }
  }
};

/// x - trunc(x), with the sign of x.
struct Frac {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return x - trunc_of(x);
  }
  static constexpr GradientReads kGradient = GradientReads::pass;
};

}  // namespace lectern::kernels
