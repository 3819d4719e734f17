#pragma once

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/gradient_reads.h"
#include "kernels/math.h"

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

struct Mul {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
  }
  static constexpr GradientReads kGradientA = GradientReads::b;
  template <RealComputeType T>
  LECTERN_HD T gradient_a(T g, T b) const {
    return g * b;
  }
  static constexpr GradientReads kGradientB = GradientReads::a;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a) const {
    return g * a;
  }
};

/// Propagates NaN. Equal operands share the gradient.
struct Maximum {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return a > b || is_nan(a) ? a : b;
  }
  static constexpr GradientReads kGradientA = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_a(T g, T a, T b) const {
    const T shared = a == b ? g / T(2) : g;
    return a < b ? T(0) : shared;
  }
  static constexpr GradientReads kGradientB = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a, T b) const {
    return gradient_a(g, b, a);
  }
};

/// Propagates NaN. Equal operands share the gradient.
struct Minimum {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return a < b || is_nan(a) ? a : b;
  }
  static constexpr GradientReads kGradientA = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_a(T g, T a, T b) const {
    const T shared = a == b ? g / T(2) : g;
    return a > b ? T(0) : shared;
  }
  static constexpr GradientReads kGradientB = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a, T b) const {
    return gradient_a(g, b, a);
  }
};

/// Ignores NaN unless both are. Of equal operands the first has the gradient.
struct FMax {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return a >= b || is_nan(b) ? a : b;
  }
  static constexpr GradientReads kGradientA = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_a(T g, T a, T b) const {
    return a >= b || is_nan(b) ? g : T(0);
  }
  static constexpr GradientReads kGradientB = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a, T b) const {
    return a >= b || is_nan(b) ? T(0) : g;
  }
};

struct FMin {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return a <= b || is_nan(b) ? a : b;
  }
  static constexpr GradientReads kGradientA = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_a(T g, T a, T b) const {
    return a <= b || is_nan(b) ? g : T(0);
  }
  static constexpr GradientReads kGradientB = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a, T b) const {
    return a <= b || is_nan(b) ? T(0) : g;
  }
};

/// |a| with the sign of b.
struct CopySign {
  template <RealComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return copysign_of(a, b);
  }
  static constexpr GradientReads kGradientA = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_a(T g, T a, T b) const {
    return a == 0 ? T(0) : g * (copysign_of(a, b) / a);
  }
  static constexpr GradientReads kGradientB = GradientReads::zero;
};

}  // namespace lectern::kernels
