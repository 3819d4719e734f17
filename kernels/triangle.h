#pragma once

#include <cstdint>

#include "kernels/kernel.h"

namespace lectern::kernels {

/// The part of a matrix to keep; the rest becomes 0.
enum class Triangle : std::uint8_t { upper, lower };

/// Contiguous matrices: the element (i, j) stays where j - i >= diagonal (upper) or <= diagonal (lower).
/// `out` is `in`, or does not overlap it. `element_size` in bytes. O(elements).
LECTERN_KERNEL(void, keep_triangle, Triangle part, std::int64_t diagonal, std::int64_t matrices,
               std::int64_t rows, std::int64_t columns, std::int64_t element_size, void* out, const void* in);

}  // namespace lectern::kernels
