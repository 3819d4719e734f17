#pragma once

#include "base/host_device.h"

// The functions of the C library that kernels call, by names that host and device both know. On the host they
// are instructions: std::fma and its like may become functions of their own, of which the linker keeps one
// for all instruction sets.

namespace lectern::kernels {

#ifdef __CUDA_ARCH__
#define LECTERN_MATH(name) ::name
#else
#define LECTERN_MATH(name) __builtin_##name
#endif

/// a * b + c, rounded once.
LECTERN_HD float fused(float a, float b, float c) {
  return LECTERN_MATH(fmaf)(a, b, c);
}
LECTERN_HD double fused(double a, double b, double c) {
  return LECTERN_MATH(fma)(a, b, c);
}

LECTERN_HD float sqrt_of(float x) {
  return LECTERN_MATH(sqrtf)(x);
}
LECTERN_HD double sqrt_of(double x) {
  return LECTERN_MATH(sqrt)(x);
}

LECTERN_HD float abs_of(float x) {
  return LECTERN_MATH(fabsf)(x);
}
LECTERN_HD double abs_of(double x) {
  return LECTERN_MATH(fabs)(x);
}

LECTERN_HD float floor_of(float x) {
  return LECTERN_MATH(floorf)(x);
}

LECTERN_HD double library_pow(double base, double exponent) {
  return LECTERN_MATH(pow)(base, exponent);
}

#undef LECTERN_MATH

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

}  // namespace lectern::kernels
