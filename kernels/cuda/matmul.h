#pragma once

#include <cstdint>
#include <span>

#include "kernels/matmul.h"

// Products of floating matrices in the memory of the current CUDA device, through cuBLAS, with the meaning of
// kernels/matmul.h. Sums are computed in float64 for float64, in float32 for everything narrower, and rounded
// once. The work is given to the current stream.

namespace lectern::kernels::cuda {

/// Whether a product reads matrices of this shape and strides (in elements): as they lie or transposed,
/// without overlap; those of one byte per element always.
inline bool readable_matrix(Dtype dtype, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                            std::int64_t column_stride) {
  return element_size(dtype) == 1 || matrix_layout(rows, columns, row_stride, column_stride).has_value();
}

/// out = a b for each matrix of a batch; all of one floating dtype. The matrices of a batch that are one
/// regular step apart in every operand (0 repeats one) are one call. No size is 0.
void matmul(std::span<const std::int64_t> batch, const ProductSizes& sizes, const Array& out, const Array& a,
            const Array& b);

}  // namespace lectern::kernels::cuda
