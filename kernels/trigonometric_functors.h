#pragma once

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/expm1_log1p.h"
#include "kernels/gradient_reads.h"
#include "kernels/math.h"

// Trigonometric and hyperbolic functions.

namespace lectern::kernels {

struct Sin {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_sin(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g * library_cos(x);
  }
};

/// sin(πx) / (πx); 1 at 0.
struct Sinc {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    const T angle = kPi<T> * x;
    return x == 0 ? T(1) : library_sin(angle) / angle;
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    const T angle = kPi<T> * x, square = angle * x;
    const T slope = (angle * library_cos(angle) - library_sin(angle)) / square;
    return square == 0 ? T(0) : g * slope;
  }

 private:
  template <typename T>
  static constexpr T kPi = T(3.141592653589793238462643383279502884);
};

struct Cos {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_cos(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return -g * library_sin(x);
  }
};

struct Tan {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_tan(x);
  }
  static constexpr GradientReads kGradient = GradientReads::output;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T y) const {
    return g * (T(1) + y * y);
  }
};

struct Asin {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_asin(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g / sqrt_of(T(1) - x * x);
  }
};

struct Acos {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_acos(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return -g / sqrt_of(T(1) - x * x);
  }
};

struct Atan {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_atan(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g / (x * x + T(1));
  }
};

struct Sinh {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_sinh(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g * library_cosh(x);
  }
};

struct Cosh {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_cosh(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g * library_sinh(x);
  }
};

struct Tanh {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return tanh_of(x);
  }
  static constexpr GradientReads kGradient = GradientReads::output;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T y) const {
    return g * (T(1) - y * y);
  }
};

struct Asinh {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_asinh(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g / sqrt_of(x * x + T(1));
  }
};

struct Acosh {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_acosh(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g / sqrt_of(x * x - T(1));
  }
};

struct Atanh {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_atanh(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g / (T(1) - x * x);
  }
};

struct Deg2Rad {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return x * T(0.017453292519943295769236907684886127);  // π / 180
  }
  static constexpr GradientReads kGradient = GradientReads::grad;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g) const {
    return (*this)(g);
  }
};

struct Rad2Deg {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return x * T(57.295779513082320876798154814105170);  // 180 / π
  }
  static constexpr GradientReads kGradient = GradientReads::grad;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g) const {
    return (*this)(g);
  }
};

/// The length of (a, b), even where a square would overflow.
struct Hypot {
  template <RealComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return library_hypot(a, b);
  }
  static constexpr GradientReads kGradientA = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_a(T g, T a, T b) const {
    return g * (a / library_hypot(a, b));
  }
  static constexpr GradientReads kGradientB = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a, T b) const {
    return gradient_a(g, b, a);
  }
};

/// The angle of the point (b, a).
struct Atan2 {
  template <RealComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    return library_atan2(a, b);
  }
  static constexpr GradientReads kGradientA = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_a(T g, T a, T b) const {
    return g * (b / (a * a + b * b));
  }
  static constexpr GradientReads kGradientB = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a, T b) const {
    return g * (-a / (a * a + b * b));
  }
};

}  // namespace lectern::kernels
