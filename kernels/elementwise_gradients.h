#pragma once

#include "kernels/elementwise.h"
#include "kernels/elementwise_functors.h"
#include "kernels/gradient_functors.h"
#include "kernels/gradient_reads.h"

// The gradients of the rows of kernels/elementwise_table.h.

namespace lectern::kernels {

/// What the gradient of an operation with respect to its operand reads.
constexpr GradientReads gradient_reads(Unary operation) {
  constexpr GradientReads kReads[] = {
#define LECTERN_ROW(name, Functor, rule, autocast) Functor::kGradient,
      LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  };
  return kReads[static_cast<int>(operation)];
}

constexpr GradientReads gradient_reads(Binary operation, Side side) {
  constexpr GradientReads kReads[][2] = {
#define LECTERN_ROW(name, Functor, rule, autocast) {Functor::kGradientA, Functor::kGradientB},
      LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  };
  return kReads[static_cast<int>(operation)][static_cast<int>(side)];
}

/// Whether there is a gradient to compute: neither none, nor 0, nor just the result's.
constexpr bool is_computed(GradientReads reads) {
  return reads != GradientReads::none && reads != GradientReads::zero && reads != GradientReads::pass;
}

}  // namespace lectern::kernels
