#pragma once

#include <concepts>
#include <cstdint>

#include "base/host_device.h"
#include "kernels/exp_log.h"
#include "kernels/math.h"
#include "kernels/pow.h"

// What the elementwise operations do with one element: a functor for each row of kernels/elementwise_table.h,
// for host and device. It computes in one of three types: float (float32 and everything narrower), double,
// and int64 (integers and bool), where arithmetic wraps around.

namespace lectern::kernels {

template <typename T>
concept ComputeType = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int64_t>;

template <typename T>
concept RealComputeType = std::same_as<T, float> || std::same_as<T, double>;

/// Integers through their unsigned twins: overflow wraps.
template <ComputeType T>
struct Wrapping {
  using type = T;
};
template <>
struct Wrapping<std::int64_t> {
  using type = std::uint64_t;
};
template <ComputeType T>
using wrapping = typename Wrapping<T>::type;

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

struct Add {
  template <ComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
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
