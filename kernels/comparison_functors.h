#pragma once

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/gradient_reads.h"
#include "kernels/math.h"

// Predicates of one element or two. NaN is true, and equal to nothing.

namespace lectern::kernels {

struct Eq : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a == b;
  }
};

struct Ne : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a != b;
  }
};

struct Lt : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a < b;
  }
};

struct Le : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a <= b;
  }
};

struct Gt : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a > b;
  }
};

struct Ge : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a >= b;
  }
};

struct LogicalAnd : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a != 0 && b != 0;
  }
};

struct LogicalOr : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a != 0 || b != 0;
  }
};

struct LogicalXor : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return (a != 0) != (b != 0);
  }
};

struct LogicalNot : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T x) const {
    return x == 0;
  }
};

struct IsNan : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T x) const {
    return is_nan(x);
  }
};

struct IsInf : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T x) const {
    return !is_finite(x) && !is_nan(x);
  }
};

struct IsFinite : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T x) const {
    return is_finite(x);
  }
};

struct IsPosInf : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T x) const {
    return !is_finite(x) && x > 0;
  }
};

struct IsNegInf : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T x) const {
    return !is_finite(x) && x < 0;
  }
};

/// True of -0.
struct SignBit : NotDifferentiable {
  template <ComputeType T>
  LECTERN_HD bool operator()(T x) const {
    if constexpr (RealComputeType<T>) {
      return copysign_of(T(1), x) < 0;
    } else {
      return x < 0;
    }
  }
};

}  // namespace lectern::kernels
