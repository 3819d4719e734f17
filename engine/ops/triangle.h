#pragma once

#include <cstdint>

#include "tensor/creation.h"

// Triangles and diagonals of matrices. triu() and tril() take the last two dimensions of a tensor; they and
// diag() are also methods. A TensorError for another number of dimensions. O(elements).

namespace lectern {

/// The elements (i, j) with j - i >= diagonal, 0 elsewhere; contiguous.
Tensor triu(const Tensor& x, std::int64_t diagonal = 0);
/// The elements (i, j) with j - i <= diagonal, 0 elsewhere; contiguous.
Tensor tril(const Tensor& x, std::int64_t diagonal = 0);

/// The positions (row, column) of the elements that tril() keeps of a matrix [rows, columns], row by row:
/// [2, count], of dtype int64 unless the options name another integer's. O(count).
Tensor tril_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0,
                    const TensorOptions& options = {});
/// And those that triu() keeps.
Tensor triu_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0,
                    const TensorOptions& options = {});

/// Of a vector, the matrix with it on the given diagonal and 0 elsewhere; of a matrix, a copy of that
/// diagonal.
Tensor diag(const Tensor& x, std::int64_t diagonal = 0);

}  // namespace lectern
