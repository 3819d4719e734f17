#pragma once

#include <cstdint>

#include "tensor/tensor.h"

// Triangles of matrices: the last two dimensions of a tensor; also methods. A TensorError for fewer than two
// dimensions. O(elements).

namespace lectern {

/// The elements (i, j) with j - i >= diagonal, 0 elsewhere; contiguous.
Tensor triu(const Tensor& x, std::int64_t diagonal = 0);
/// The elements (i, j) with j - i <= diagonal, 0 elsewhere; contiguous.
Tensor tril(const Tensor& x, std::int64_t diagonal = 0);

}  // namespace lectern
