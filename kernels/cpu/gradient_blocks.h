#pragma once

#include <cstddef>

#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/isa.h"

namespace lectern::kernels::cpu {

/// A gradient as a loop over contiguous elements of a compute type: the form with the operands that it reads;
/// the others are null, and all are if there is nothing to compute.
struct GradientBlock {
  UnaryBlock of_grad;      ///< of the result's gradient alone
  BinaryBlock with_one;    ///< and of one more
  TernaryBlock with_both;  ///< and of both operands
};

/// By operation, for a binary one by operand, and by compute type: float, double.
struct GradientBlocks {
  GradientBlock unary[kUnaryOperations][2];
  GradientBlock binary[kBinaryOperations][2][2];
};

LECTERN_PER_ISA(GradientBlocks, gradient_blocks)

}  // namespace lectern::kernels::cpu
