#pragma once

#include "tensor/tensor.h"

// Products with what goes around them. Dtypes, devices, errors and costs are those of matmul (ops/matmul.h);
// what is added or scaled costs what elementwise operations do. float8 becomes float32 before and is rounded
// once.

namespace lectern {

/// x · weightᵀ + bias, for x of shape […, in], weight [out, in] and bias [out] or undefined: […, out].
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

/// beta · input + alpha · (a · b), of two matrices; the input is broadcast. Of integers beta and alpha are
/// truncated.
Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);

/// Σ a_i b_i, of two vectors.
Tensor dot(const Tensor& a, const Tensor& b);

/// a_i b_j, of two vectors.
Tensor outer(const Tensor& a, const Tensor& b);

}  // namespace lectern
