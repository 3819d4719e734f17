#pragma once

#include "kernels/functor.h"

// Bitwise operations on integers. Shifts by a negative count or beyond the width leave no bits.

namespace lectern::kernels {

template <typename T>
concept IntegerComputeType = std::same_as<T, std::int64_t>;

/// For integers; bool has LogicalNot.
LECTERN_FUNCTOR(BitwiseNot, IntegerComputeType, T, (T x), return ~x);
LECTERN_FUNCTOR(BitwiseAnd, IntegerComputeType, T, (T a, T b), return a & b);
LECTERN_FUNCTOR(BitwiseOr, IntegerComputeType, T, (T a, T b), return a | b);
LECTERN_FUNCTOR(BitwiseXor, IntegerComputeType, T, (T a, T b), return a ^ b);
LECTERN_FUNCTOR(BitwiseLeftShift, IntegerComputeType, T, (T a, T b),
                return b < 0 || b > 63 ? 0 : static_cast<T>(static_cast<wrapping<T>>(a) << b));
/// Arithmetic shift.
LECTERN_FUNCTOR(BitwiseRightShift, IntegerComputeType, T, (T a, T b),
                return b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b);

}  // namespace lectern::kernels
