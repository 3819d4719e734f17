#pragma once

#include <cstddef>

#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/isa.h"

namespace lectern::kernels::cpu {

/// Gradients, by operation, for a binary one by operand, and by compute type: float, double. The operands are
/// the result's gradient and what this one reads; null if there is nothing to compute.
struct GradientBlocks {
  ElementBlock unary[kUnaryOperations][2];
  ElementBlock binary[kBinaryOperations][2][2];
};

LECTERN_PER_ISA(GradientBlocks, gradient_blocks)

}  // namespace lectern::kernels::cpu
