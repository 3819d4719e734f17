#pragma once

#include <cstdint>

namespace lectern::kernels {

/// What the gradient of an elementwise operation with respect to one of its operands reads, besides the
/// gradient of the result. Only this need be kept until the backward pass. A functor of
/// kernels/elementwise_table.h declares it for its operand (kGradient), or for both (kGradientA, kGradientB),
/// and where there is something to compute it has member functions: gradient(g, read…), or gradient_a and
/// gradient_b, of the gradient g of the result and the values read.
enum class GradientReads : std::uint8_t {
  none,    ///< there is no gradient: the result is not differentiable
  zero,    ///< nothing: it is 0 everywhere
  pass,    ///< nothing: it is the result's
  grad,    ///< the result's gradient alone
  input,   ///< the operand
  output,  ///< the result
  a,       ///< the first operand
  b,       ///< the second operand
  both,    ///< the first and the second operand
};

/// Which operand of a binary operation.
enum class Side : std::uint8_t { a, b };

/// For functors to derive from.
struct NotDifferentiable {
  static constexpr GradientReads kGradient = GradientReads::none;
  static constexpr GradientReads kGradientA = GradientReads::none;
  static constexpr GradientReads kGradientB = GradientReads::none;
};
struct ZeroGradient {
  static constexpr GradientReads kGradient = GradientReads::zero;
  static constexpr GradientReads kGradientA = GradientReads::zero;
  static constexpr GradientReads kGradientB = GradientReads::zero;
};

}  // namespace lectern::kernels
