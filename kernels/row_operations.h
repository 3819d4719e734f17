#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/elementwise.h"
#include "kernels/reduction_table.h"
#include "kernels/row_functors.h"

// Softmax and other operations on the lines along a dimension, of any floating dtypes and strides. Computed
// in the compute type of out's dtype, rounded once. `out` is row-major and overlaps no input. O(elements).
//
// On the CPU a line of floats is read once and written once in memory while it fits the L2 cache; other lines
// pass through a scratch buffer of up to 16 lines per thread. Uses all OpenMP threads above 32,768 elements;
// results do not depend on the thread count.

namespace lectern::kernels {

enum class RowOperation : std::uint8_t { LECTERN_ROW_OPERATIONS(LECTERN_NAME) };

inline constexpr std::size_t kRowOperations = 0 LECTERN_ROW_OPERATIONS(LECTERN_COUNT);

/// Calls visit(functor) with the functor of an operation.
template <typename Visit>
LECTERN_HD constexpr auto dispatch(RowOperation operation, Visit&& visit) {
  switch (operation) {
#define LECTERN_ROW(name, Functor, autocast) \
  case RowOperation::name:                   \
    return visit(Functor{});
    LECTERN_ROW_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  }
  __builtin_unreachable();
}

LECTERN_KERNEL(void, apply_row, RowOperation operation, std::span<const std::int64_t> sizes, std::size_t dim,
               const Array& out, const Array& x);

/// out = the gradient of x from that of y = operation(x).
LECTERN_KERNEL(void, apply_row_backward, RowOperation operation, std::span<const std::int64_t> sizes,
               std::size_t dim, const Array& out, const Array& grad, const Array& y);

}  // namespace lectern::kernels
