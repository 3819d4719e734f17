#pragma once

#include <cstdint>

#include "tensor/tensor.h"

// Products of matrices and vectors. Both operands have the same dtype, not bool, which is also the result's.
// Floating dtypes of fewer than 32 bits are computed in float32 and rounded once; integers wrap around.
// Transposed matrices are read in place. Counts 2 · rows · columns · inner floating-point operations for each
// matrix of the result; the gradients are products, too, one per operand that needs one.
//
// Wrong shapes, different dtypes and devices, and bool are TensorErrors; so are, as in PyTorch, integers on a
// GPU. With an inner size of 0 the result is 0. On a GPU products use cuBLAS, in full precision unless
// cuda::set_allow_tf32(true) (device/cuda.h).

namespace lectern {

/// PyTorch's cases, by number of dimensions; also a method:
///   [n] · [n]                 → []            the inner product
///   [m, n] · [n]              → [m]
///   [n] · [n, p]              → [p]
///   [m, n] · [n, p]           → [m, p]
///   […, m, n] · […, n, p]     → […, m, p]     the leading dimensions are broadcast
///   […, m, n] · [n]           → […, m]        and likewise with the vector on the left
/// O(result · n).
Tensor matmul(const Tensor& a, const Tensor& b);

/// For two matrices only, and for two batches of equally many matrices.
Tensor mm(const Tensor& a, const Tensor& b);
Tensor bmm(const Tensor& a, const Tensor& b);

// For operations that add to a product.

/// matmul(a, b) before rounding: float32 for floating dtypes of fewer than 32 bits. Has no gradient.
Tensor matmul_sums(const Tensor& a, const Tensor& b);
/// sums += a · b for float32 or float64 matrices, on a GPU also for a and b of 16 bits with float32 sums;
/// `sums` is contiguous and has the product's shape. Has no gradient. Counts nothing.
void add_matmul(const Tensor& sums, const Tensor& a, const Tensor& b);
/// out = a · b + bias for matrices and a contiguous vector of one dtype, rounded once, in one pass; `out` is
/// contiguous and has the product's shape. False, with nothing done, where the device has no such product
/// (kernels/matmul.h), and where there is nothing to sum. Has no gradient. Counts nothing.
bool biased_matmul(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& bias);
/// out = a · b, and the sum of each row of a in `row_sums`, likewise.
bool matmul_and_row_sums(const Tensor& out, const Tensor& row_sums, const Tensor& a, const Tensor& b);
/// Counts a product of a and b: nothing if it has no elements.
void count_product(const Tensor& out, std::int64_t inner, const Tensor& a, const Tensor& b);

}  // namespace lectern
