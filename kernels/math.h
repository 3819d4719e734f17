#pragma once

#include <cmath>

#include "base/host_device.h"

// The C library functions that kernels call, by names that host and device both know. On the host they are
// instructions: std::fma and its like may become out-of-line functions, of which the linker keeps one for all
// instruction sets.

namespace lectern::math {

#ifdef __CUDA_ARCH__
#define LECTERN_MATH(name) ::name
#else
#define LECTERN_MATH(name) __builtin_##name
#endif

/// a * b + c, rounded once.
LECTERN_HD float fma(float a, float b, float c) {
  return LECTERN_MATH(fmaf)(a, b, c);
}
LECTERN_HD double fma(double a, double b, double c) {
  return LECTERN_MATH(fma)(a, b, c);
}

/// a * b + c, rounded as is fastest: once on a GPU, twice on a CPU, where not all processors do it at once.
template <typename T>
LECTERN_HD T multiply_add(T a, T b, T c) {
#ifdef __CUDA_ARCH__
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

#define LECTERN_INSTRUCTION(function, name) \
  LECTERN_HD float function(float x) {      \
    return LECTERN_MATH(name##f)(x);        \
  }                                         \
  LECTERN_HD double function(double x) {    \
    return LECTERN_MATH(name)(x);           \
  }
LECTERN_INSTRUCTION(sqrt, sqrt)
LECTERN_INSTRUCTION(abs, fabs)
LECTERN_INSTRUCTION(floor, floor)
LECTERN_INSTRUCTION(ceil, ceil)
LECTERN_INSTRUCTION(trunc, trunc)
/// To the nearest integer, ties to even.
LECTERN_INSTRUCTION(round, rint)
#undef LECTERN_INSTRUCTION

/// The larger one; a number rather than NaN.
LECTERN_HD float maximum(float a, float b) {
  return LECTERN_MATH(fmaxf)(a, b);
}

LECTERN_HD float copysign(float size, float sign) {
  return LECTERN_MATH(copysignf)(size, sign);
}
LECTERN_HD double copysign(double size, double sign) {
  return LECTERN_MATH(copysign)(size, sign);
}

/// a - b trunc(a / b), exactly.
LECTERN_HD float fmod(float a, float b) {
  return LECTERN_MATH(fmodf)(a, b);
}
LECTERN_HD double fmod(double a, double b) {
  return LECTERN_MATH(fmod)(a, b);
}

// Functions that call the library. Floats go through double, so that the result is almost always correctly
// rounded, the same on every device.
#define LECTERN_LIBRARY(name)                                              \
  LECTERN_HD double name(double x) {                                       \
    return LECTERN_MATH(name)(x);                                          \
  }                                                                        \
  LECTERN_HD float name(float x) {                                         \
    return static_cast<float>(LECTERN_MATH(name)(static_cast<double>(x))); \
  }
LECTERN_LIBRARY(exp2)
LECTERN_LIBRARY(log2)
LECTERN_LIBRARY(log10)
LECTERN_LIBRARY(sin)
LECTERN_LIBRARY(cos)
LECTERN_LIBRARY(tan)
LECTERN_LIBRARY(asin)
LECTERN_LIBRARY(acos)
LECTERN_LIBRARY(atan)
LECTERN_LIBRARY(sinh)
LECTERN_LIBRARY(cosh)
LECTERN_LIBRARY(asinh)
LECTERN_LIBRARY(acosh)
LECTERN_LIBRARY(atanh)
#undef LECTERN_LIBRARY

// Of these the floats have polynomials of their own (kernels/error_function.h, kernels/pow.h).
LECTERN_HD double erf(double x) {
  return LECTERN_MATH(erf)(x);
}
LECTERN_HD double erfc(double x) {
  return LECTERN_MATH(erfc)(x);
}
LECTERN_HD double pow(double base, double exponent) {
  return LECTERN_MATH(pow)(base, exponent);
}

LECTERN_HD double atan2(double y, double x) {
  return LECTERN_MATH(atan2)(y, x);
}
LECTERN_HD float atan2(float y, float x) {
  return static_cast<float>(LECTERN_MATH(atan2)(static_cast<double>(y), static_cast<double>(x)));
}

LECTERN_HD double hypot(double x, double y) {
  return LECTERN_MATH(hypot)(x, y);
}
LECTERN_HD float hypot(float x, float y) {
  return static_cast<float>(LECTERN_MATH(hypot)(static_cast<double>(x), static_cast<double>(y)));
}

#undef LECTERN_MATH

/// ln |Γ(x)|. The host's lgamma() would write the sign to a global variable.
LECTERN_HD double lgamma(double x) {
#ifdef __CUDA_ARCH__
  return ::lgamma(x);
#else
  int sign = 0;
  return ::lgamma_r(x, &sign);
#endif
}
LECTERN_HD float lgamma(float x) {
  return static_cast<float>(lgamma(static_cast<double>(x)));
}

/// False for integers.
template <typename T>
LECTERN_HD bool is_nan(T x) {
  return x != x;  // NOLINT(misc-redundant-expression)
}

/// Neither NaN nor infinite.
template <typename T>
LECTERN_HD bool is_finite(T x) {
  return x - x == 0;  // NOLINT(misc-redundant-expression)
}

}  // namespace lectern::math
