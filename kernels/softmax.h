#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/elementwise.h"

// Softmax along a dimension of CPU arrays, of any floating dtypes and strides; see kernels/softmax_row.h.
// Computed in the compute type of out's dtype, rounded once. `out` is row-major and overlaps no input. A line
// of floats is read once and written once in memory while it fits the L2 cache; other lines pass through a
// scratch buffer of up to 16 lines per thread. Uses all OpenMP threads above 32,768 elements; results do not
// depend on the thread count. O(elements).

namespace lectern::kernels {

enum class Softmax : std::uint8_t { softmax, log_softmax };

LECTERN_KERNEL(void, softmax, Softmax kind, std::span<const std::int64_t> sizes, std::size_t dim,
               const Array& out, const Array& x);

/// out = the gradient of x from that of y = softmax(x).
LECTERN_KERNEL(void, softmax_backward, Softmax kind, std::span<const std::int64_t> sizes, std::size_t dim,
               const Array& out, const Array& grad, const Array& y);

}  // namespace lectern::kernels
