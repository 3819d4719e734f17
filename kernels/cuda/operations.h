#pragma once

#include "kernels/elementwise_gradients.h"

namespace lectern::kernels::cuda {

/// The gradients of operations with respect to an operand, as operations.
struct UnaryGradientOperation {
  Unary operation;
};
struct BinaryGradientOperation {
  Binary operation;
  Side side;
};

/// Whether the operations exist for integers.
template <typename Operation>
inline constexpr bool kTakesIntegers = true;
template <>
inline constexpr bool kTakesIntegers<UnaryGradientOperation> = false;
template <>
inline constexpr bool kTakesIntegers<BinaryGradientOperation> = false;

// dispatch(operation, visit) calls visit(functor) with the functor of an operation. It compiles `visit` for
// each of them.

template <typename Visit>
constexpr auto dispatch(Unary operation, Visit&& visit) {
  switch (operation) {
#define LECTERN_ROW(name, Functor, rule, autocast) \
  case Unary::name:                                \
    return visit(Functor{});
    LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  }
  __builtin_unreachable();
}

template <typename Visit>
constexpr auto dispatch(Binary operation, Visit&& visit) {
  switch (operation) {
#define LECTERN_ROW(name, Functor, rule, autocast) \
  case Binary::name:                               \
    return visit(Functor{});
    LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  }
  __builtin_unreachable();
}

template <typename Visit>
constexpr auto dispatch(Ternary operation, Visit&& visit) {
  switch (operation) {
#define LECTERN_ROW(name, Functor) \
  case Ternary::name:              \
    return visit(Functor{});
    LECTERN_TERNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  }
  __builtin_unreachable();
}

template <typename Visit>
constexpr auto dispatch(UnaryGradientOperation gradient, Visit&& visit) {
  return dispatch(gradient.operation,
                  [&]<typename Functor>(Functor) { return visit(UnaryGradient<Functor>{}); });
}

template <typename Visit>
constexpr auto dispatch(BinaryGradientOperation gradient, Visit&& visit) {
  return dispatch(gradient.operation, [&]<typename Functor>(Functor) {
    return gradient.side == Side::a ? visit(BinaryGradient<Functor, Side::a>{})
                                    : visit(BinaryGradient<Functor, Side::b>{});
  });
}

}  // namespace lectern::kernels::cuda
