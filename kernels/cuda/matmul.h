#pragma once

#include <cstdint>
#include <span>

#include "kernels/matmul.h"

// Products of floating matrices on the current CUDA device, through cuBLAS, with the semantics of
// kernels/matmul.h. Sums are computed in float64 for float64, in float32 for everything narrower, and rounded
// once. Work is enqueued on the current stream.

namespace lectern::kernels::cuda {

/// Whether a product reads matrices of this shape and strides (in elements): as is or transposed, without
/// overlap; those of one byte per element always.
inline bool readable_matrix(Dtype dtype, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                            std::int64_t column_stride) {
  return element_size(dtype) == 1 || matrix_layout(rows, columns, row_stride, column_stride).has_value();
}

/// out = a b for each matrix of a batch; all of one floating dtype. Matrices of a batch with a regular stride
/// in every operand (0 repeats one) are one call. No size is 0.
void matmul(std::span<const std::int64_t> batch, const ProductSizes& sizes, const Array& out, const Array& a,
            const Array& b);

}  // namespace lectern::kernels::cuda
