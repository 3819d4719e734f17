#pragma once

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/error_function.h"
#include "kernels/exp_log.h"
#include "kernels/expm1_log1p.h"
#include "kernels/gamma_function.h"
#include "kernels/gradient_reads.h"
#include "kernels/math.h"

// Exponential functions, logarithms, error functions and the gamma function.

namespace lectern::kernels {

struct Exp {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return exp_of(x);
  }
  static constexpr GradientReads kGradient = GradientReads::output;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T y) const {
    return g * y;
  }
};

struct Exp2 {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_exp2(x);
  }
  static constexpr GradientReads kGradient = GradientReads::output;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T y) const {
    return g * y * T(0.693147180559945309417232121458176568);
  }
};

struct Expm1 {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return expm1_of(x);
  }
  static constexpr GradientReads kGradient = GradientReads::output;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T y) const {
    return g * (y + T(1));
  }
};

struct Log {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return log_of(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g / x;
  }
};

struct Log1p {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return log1p_of(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g / (x + T(1));
  }
};

struct Log2 {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_log2(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g / (x * T(0.693147180559945309417232121458176568));
  }
};

struct Log10 {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_log10(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g / (x * T(2.302585092994045684017991454684364208));
  }
};

struct Erf {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return erf_of(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return T(1.128379167095512573896158903121545172) * exp_of(-x * x) * g;
  }
};

struct Erfc {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return erfc_of(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return -T(1.128379167095512573896158903121545172) * exp_of(-x * x) * g;
  }
};

struct ErfInv {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return erfinv_of(x);
  }
  static constexpr GradientReads kGradient = GradientReads::output;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T y) const {
    return T(0.886226925452758013649083741670572591) * exp_of(y * y) * g;
  }
};

/// ln |Γ(x)|.
struct LGamma {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return library_lgamma(x);
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g * static_cast<T>(digamma_of(static_cast<double>(x)));
  }
};

struct Digamma {
  template <RealComputeType T>
  LECTERN_HD T operator()(T x) const {
    return static_cast<T>(digamma_of(static_cast<double>(x)));
  }
  static constexpr GradientReads kGradient = GradientReads::input;
  template <RealComputeType T>
  LECTERN_HD T gradient(T g, T x) const {
    return g * static_cast<T>(trigamma_of(static_cast<double>(x)));
  }
};

/// ln(e^a + e^b) or, in base 2, log2(2^a + 2^b), without overflow.
template <bool kBase2>
struct LogAddPowers {
  template <RealComputeType T>
  LECTERN_HD static T power(T x) {
    return kBase2 ? library_exp2(x) : exp_of(x);
  }
  template <RealComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    const T most = a > b ? a : b;
    const T more = log1p_of(power(-abs_of(a - b)));
    const T sum = most + (kBase2 ? more * T(1.442695040888963407359924681001892137) : more);
    return a == b && !is_finite(a) ? a : sum;
  }
  static constexpr GradientReads kGradientA = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_a(T g, T a, T b) const {
    return g / (T(1) + power(b - a));
  }
  static constexpr GradientReads kGradientB = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a, T b) const {
    return gradient_a(g, b, a);
  }
};
using LogAddExp = LogAddPowers<false>;
using LogAddExp2 = LogAddPowers<true>;

/// a ln(b), and 0 where a is 0, unless b is NaN.
struct XLogY {
  template <RealComputeType T>
  LECTERN_HD T operator()(T a, T b) const {
    const T product = a * log_of(b);
    return a == 0 && !is_nan(b) ? T(0) : product;
  }
  static constexpr GradientReads kGradientA = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_a(T g, T a, T b) const {
    return a == 0 && b <= 0 ? T(0) : (*this)(g, b);
  }
  static constexpr GradientReads kGradientB = GradientReads::both;
  template <RealComputeType T>
  LECTERN_HD T gradient_b(T g, T a, T b) const {
    return g * a / b;
  }
};

}  // namespace lectern::kernels
