#pragma once

#include "tensor/tensor.h"

// Products of matrices and vectors. Both operands have one dtype, which the result has too; not bool.
// Floating dtypes of fewer than 32 bits are computed in float32 and rounded once; integers wrap around. A
// matrix that is transposed is read as it lies. Counts 2 · rows · columns · inner floating-point operations
// for each matrix of the result; the gradients are products, too, one for each operand that wants one.
//
// Wrong shapes, different dtypes and devices, and bool are TensorErrors; so are, as in PyTorch, integers on a
// GPU. With an inner size of 0 the result is 0. On a GPU products go through cuBLAS, in full precision unless
// cuda::set_allow_tf32(true) says otherwise (device/tf32.h).

namespace lectern {

/// PyTorch's cases, by the numbers of dimensions; also a method:
///   [n] · [n]                 → []            the inner product
///   [m, n] · [n]              → [m]
///   [n] · [n, p]              → [p]
///   [m, n] · [n, p]           → [m, p]
///   […, m, n] · […, n, p]     → […, m, p]     the leading dimensions are broadcast
///   […, m, n] · [n]           → […, m]        and likewise with the vector on the left
/// O(result · n).
Tensor matmul(const Tensor& a, const Tensor& b);

/// Of two matrices only, and of two batches of as many matrices.
Tensor mm(const Tensor& a, const Tensor& b);
Tensor bmm(const Tensor& a, const Tensor& b);

}  // namespace lectern
