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

/// Whether a functor is so frequent with operands that are broadcast, of other dtypes or transposed that it
/// has kernels for them (kernels/cuda/row_packs.h, kernels/cuda/transposed_operand.h).
template <typename Functor>
inline constexpr bool kHasRowPacks = false;
template <>
inline constexpr bool kHasRowPacks<Add> = true;
template <>
inline constexpr bool kHasRowPacks<Sub> = true;
template <>
inline constexpr bool kHasRowPacks<Mul> = true;
template <>
inline constexpr bool kHasRowPacks<Div> = true;
template <Side side>
inline constexpr bool kHasRowPacks<BinaryGradient<Mul, side>> = true;

template <typename Functor, typename... Functors>
inline constexpr bool kIsOneOf = (std::is_same_v<Functor, Functors> || ...);

/// Whether a functor, or that of a gradient's operation, is so long that its kernels wait for arithmetic and
/// not for memory, and so rare in training that a shorter compilation matters more than a tenth of its time
/// (kernels/cuda/long_kernels.h).
template <typename Functor>
inline constexpr bool kIsLong =
    kIsOneOf<Functor, Log2, Log10, Log1p, Sin, Cos, Tan, Asin, Acos, Atan, Sinc, Sinh, Cosh, Asinh, Acosh,
             Atanh, ErfInv, LGamma, Digamma, Logit, Softplus, FloorDivide, Remainder, Fmod, Pow, Atan2, Hypot,
             LogAddExp, LogAddExp2, XLogY>;
template <typename Functor>
inline constexpr bool kIsLong<UnaryGradient<Functor>> = kIsLong<Functor>;
template <typename Functor, Side side>
inline constexpr bool kIsLong<BinaryGradient<Functor, side>> = kIsLong<Functor>;

// dispatch(operation, visit) calls visit(functor) with the functor of an operation. It compiles `visit` for
// each of them.

#define LECTERN_DISPATCH(Operation, OPERATIONS)                 \
  template <typename Visit>                                     \
  constexpr auto dispatch(Operation operation, Visit&& visit) { \
    using Names = Operation;                                    \
    switch (operation) { OPERATIONS(LECTERN_CASE) }             \
    __builtin_unreachable();                                    \
  }
#define LECTERN_CASE(name, Functor, ...) \
  case Names::name:                      \
    return visit(Functor{});
LECTERN_DISPATCH(Unary, LECTERN_UNARY_OPERATIONS)
LECTERN_DISPATCH(Binary, LECTERN_BINARY_OPERATIONS)
LECTERN_DISPATCH(Ternary, LECTERN_TERNARY_OPERATIONS)
#undef LECTERN_CASE
#undef LECTERN_DISPATCH

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
