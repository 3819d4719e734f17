#pragma once

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/exp_log.h"
#include "kernels/fold_functors.h"
#include "kernels/math.h"
#include "kernels/pow.h"

// What the elementwise operations do with one element: a functor for each row of kernels/elementwise_table.h,
// for host and device.

namespace lectern::kernels {

struct Abs {
  template <ComputeType T>
  LECTERN_HD T operator()(T x) const {
    if constexpr (RealComputeType<T>) {
      return abs_of(x);
    } else {
      return x < 0 ? static_cast<T>(-static_cast<wrapping<T>>(x)) : x;
    }
  }
};

struct Neg {
  template <ComputeType T>
  LECTERN_HD T operator()(T x) const {
    return static_cast<T>(-static_cast<wrapping<T>>(x));
  }
};

struct Square {
  template <ComputeType T>
  LECTERN_HD T operator()(T x) const {
    return static_cast<T>(static_cast<wrapping<T>>(x) * static_cast<wrapping<T>>(x));
  }
};

struct Sqrt {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return sqrt_of(x);
  }
};

struct Rsqrt {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return T(1) / sqrt_of(x);
  }
};

struct Exp {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return exp_of(x);
  }
};

struct Log {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return log_of(x);
  }
};

struct Sub {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
  }
};

struct Mul {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
  }
};

struct Div {
  template <RealComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return a / b;
  }
};

struct Pow {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return pow_of(a, b);
  }
};

struct Eq {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a == b;
  }
};

struct Ne {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a != b;
  }
};

struct Lt {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a < b;
  }
};

struct Le {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a <= b;
  }
};

struct Gt {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a > b;
  }
};

struct Ge {
  template <ComputeType T>
  LECTERN_HD bool operator()(T a, T b) const {
    return a >= b;
  }
};

}  // namespace lectern::kernels
