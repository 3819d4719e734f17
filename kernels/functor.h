#pragma once

#include <concepts>
#include <cstdint>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/gradient_reads.h"
#include "kernels/math.h"

// Functors of kernels/elementwise_table.h in a line each, from their formulas over a compute type T. A
// functor whose formulas take several statements is written out.

/// The functor of an operand x: its value; what its gradient reads, `input` (x), `output` (y) or `grad`
/// (nothing more); and the gradient, from that and the gradient g of y.
///
///   LECTERN_UNARY_FUNCTOR(Sin, RealComputeType, return math::sin(x), input, return g * math::cos(x));
#define LECTERN_UNARY_FUNCTOR(Name, Type, value, reads, slope)       \
  struct Name {                                                      \
    template <Type T>                                                \
    LECTERN_HD T operator()(T x) const {                             \
      value;                                                         \
    }                                                                \
    static constexpr GradientReads kGradient = GradientReads::reads; \
    template <RealComputeType T>                                     \
    LECTERN_HD T gradient(T g LECTERN_READ_##reads) const {          \
      slope;                                                         \
    }                                                                \
  }

/// The same of two operands a and b, with the gradients of both. A gradient may read `a`, `b`, `both` or
/// `grad`.
///
///   LECTERN_BINARY_FUNCTOR(Div, RealComputeType, return a / b, b, return g / b, both,
///                          return -g * ((a / b) / b));
#define LECTERN_BINARY_FUNCTOR(Name, Type, value, reads_a, slope_a, reads_b, slope_b) \
  struct Name {                                                                       \
    template <Type T>                                                                 \
    LECTERN_HD T operator()(T a, T b) const {                                         \
      value;                                                                          \
    }                                                                                 \
    LECTERN_BINARY_GRADIENTS(reads_a, slope_a, reads_b, slope_b)                      \
  }

/// The gradients alone, for a functor whose value is written out.
#define LECTERN_BINARY_GRADIENTS(reads_a, slope_a, reads_b, slope_b)  \
  static constexpr GradientReads kGradientA = GradientReads::reads_a; \
  template <RealComputeType T>                                        \
  LECTERN_HD T gradient_a(T g LECTERN_READ_##reads_a) const {         \
    slope_a;                                                          \
  }                                                                   \
  static constexpr GradientReads kGradientB = GradientReads::reads_b; \
  template <RealComputeType T>                                        \
  LECTERN_HD T gradient_b(T g LECTERN_READ_##reads_b) const {         \
    slope_b;                                                          \
  }

#define LECTERN_READ_grad
#define LECTERN_READ_input , T x
#define LECTERN_READ_output , T y
#define LECTERN_READ_a , T a
#define LECTERN_READ_b , T b
#define LECTERN_READ_both , T a, T b

/// A functor without a gradient.
///
///   LECTERN_FUNCTOR(Eq, ComputeType, bool, (T a, T b), return a == b);
#define LECTERN_FUNCTOR(Name, Type, Result, operands, value) \
  struct Name : NotDifferentiable {                          \
    template <Type T>                                        \
    LECTERN_HD Result operator() operands const {            \
      value;                                                 \
    }                                                        \
  }
