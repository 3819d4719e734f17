#pragma once

#include <cstdint>
#include <span>

#include "kernels/elementwise.h"
#include "kernels/matrix_layout.h"

// Matrix products. Sums are computed in float64 for float64, in float32 for everything narrower, and rounded
// once.
//
// On the CPU float64 and float32 go through OpenBLAS; bfloat16 through oneDNN where that pays off
// (cpu/onednn.h), otherwise narrower floats are converted to float32 block by block. Integers are summed
// modulo 2^64 and wrapped to their dtype. On a GPU, which has floating matrices only, through cuBLAS; those
// of a batch with a regular stride in every operand (0 repeats one) are one call.

namespace lectern::kernels {

/// Whether a product reads matrices of this dtype, shape and strides (in elements): as is or transposed,
/// without overlap, or always if it converts them anyway.
inline bool readable_matrix(Device device, Dtype dtype, std::int64_t rows, std::int64_t columns,
                            std::int64_t row_stride, std::int64_t column_stride) {
  const bool is_converted =
      device.is_cuda() ? element_size(dtype) == 1 : dtype != float32 && dtype != float64;
  return is_converted || matrix_layout(rows, columns, row_stride, column_stride).has_value();
}

struct ProductSizes {
  std::int64_t rows;     ///< of a and of the result
  std::int64_t columns;  ///< of b and of the result
  std::int64_t inner;    ///< columns of a, rows of b; products of inner size 0 are 0
};

/// out = a b for each matrix of a batch, all of one dtype, not bool; out has it, too, or holds the float32
/// sums of narrower floats. `a` and `b` have a stride for each dimension of the batch (0 repeats a matrix)
/// and two for readable matrices; `out` is contiguous, its strides are ignored. O(batch rows columns inner).
LECTERN_KERNEL(void, matmul, std::span<const std::int64_t> batch, const ProductSizes& sizes, const Array& out,
               const Array& a, const Array& b);

/// out = a b, of two float8 matrices, at least one of them float8_e4m3fn, to float32 sums, by float8 tensor
/// cores (from compute capability 8.9 on), through cuBLASLt. They accumulate in fewer bits than float32 has.
/// Returns false, with nothing done, without such cores, and if cuBLASLt has no such product: the inner size
/// and the columns must be multiples of 16. `out` is contiguous.
LECTERN_KERNEL(bool, float8_product, const ProductSizes& sizes, const Array& out, const Array& a,
               const Array& b);

/// out += a b for one matrix, of float32 or float64; on a GPU `out` may also hold the float32 sums of
/// a and b of 16 bits.
LECTERN_KERNEL(void, add_matmul, const ProductSizes& sizes, const Array& out, const Array& a, const Array& b);

// Fused products of one matrix, by cuBLASLt's epilogues. All have one dtype; `out` is contiguous. They return
// false, with nothing done, on the CPU, for dtypes other than float32, float16 and bfloat16, for a vector
// whose address is no multiple of 16, and if cuBLASLt has no such algorithm.

/// out = a b + bias: `columns` elements, the same for every row; rounded once.
LECTERN_KERNEL(bool, biased_product, const ProductSizes& sizes, const Array& out, const Array& a,
               const Array& b, const void* bias);

/// out = a b, and the sum of each row of a: `rows` elements, each rounded once.
LECTERN_KERNEL(bool, product_and_row_sums, const ProductSizes& sizes, const Array& out, void* row_sums,
               const Array& a, const Array& b);

}  // namespace lectern::kernels
