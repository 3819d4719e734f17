#pragma once

#include <cstdint>
#include <span>

#include "kernels/elementwise.h"
#include "kernels/matrix_layout.h"

// Matrix products on the CPU. float64 and float32 through OpenBLAS; bfloat16 through oneDNN where that pays
// off (cpu/onednn.h), otherwise narrower floats are converted to float32 block by block; summed in float32
// and rounded once. Integers are summed modulo 2^64 and wrapped to their dtype.

namespace lectern::kernels {

/// Whether a product reads matrices of this dtype, shape and strides (in elements): float64 and float32 as is
/// or transposed, without overlap; anything else always.
bool readable_matrix(Dtype dtype, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                     std::int64_t column_stride);

struct ProductSizes {
  std::int64_t rows;     ///< of a and of the result
  std::int64_t columns;  ///< of b and of the result
  std::int64_t inner;    ///< columns of a, rows of b; products of inner size 0 are 0
};

/// out = a b for each matrix of a batch, all of one dtype, not bool; out has it, too, or holds the float32
/// sums of narrower floats. `a` and `b` have a stride for each dimension of the batch (0 repeats a matrix)
/// and two for readable matrices; `out` is contiguous, its strides are ignored. O(batch rows columns inner).
void matmul(std::span<const std::int64_t> batch, const ProductSizes& sizes, const Array& out, const Array& a,
            const Array& b);

/// out += a b, of float32 or float64, for one matrix.
void add_matmul(const ProductSizes& sizes, const Array& out, const Array& a, const Array& b);

}  // namespace lectern::kernels
