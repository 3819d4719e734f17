#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/elementwise.h"

// Softmax along a dimension of arrays in the CPU's memory, of any floating dtypes and strides; see
// kernels/softmax_row.h. Computed in the compute type of out's dtype, rounded once. `out` lies in row-major
// order and overlaps nothing that is read. Of a line of floats memory is read once and written once while the
// line fits the second-level cache; other lines pass through a scratch of up to 16 lines per thread. Above
// 32,768 elements all OpenMP threads take part; results do not depend on their number. O(elements).

namespace lectern::kernels {

enum class Softmax : std::uint8_t { softmax, log_softmax };

void softmax(Softmax kind, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
             const Array& x);

/// out = the gradient of x from that of y = softmax(x).
void softmax_backward(Softmax kind, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
                      const Array& grad, const Array& y);

}  // namespace lectern::kernels
