#pragma once

#include <concepts>

#include "kernels/elementwise.h"
#include "kernels/elementwise_functors.h"
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

/// The gradients as functors of the result's gradient and the values read.
template <typename Functor>
struct UnaryGradient {
  template <RealComputeType T, std::same_as<T>... Read>
  requires requires(Functor functor, T g, Read... read) { functor.gradient(g, read...); }
  LECTERN_HD T operator()(T g, Read... read) const { return Functor{}.gradient(g, read...); }
};

template <typename Functor, Side side>
struct BinaryGradient {
  template <RealComputeType T, std::same_as<T>... Read>
  requires(side == Side::a) && requires(Functor functor, T g, Read... read) {
    functor.gradient_a(g, read...);
  }
  LECTERN_HD T operator()(T g, Read... read) const { return Functor{}.gradient_a(g, read...); }

  template <RealComputeType T, std::same_as<T>... Read>
  requires(side == Side::b) && requires(Functor functor, T g, Read... read) {
    functor.gradient_b(g, read...);
  }
  LECTERN_HD T operator()(T g, Read... read) const { return Functor{}.gradient_b(g, read...); }
};

}  // namespace lectern::kernels
