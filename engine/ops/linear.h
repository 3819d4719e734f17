#pragma once

#include "tensor/tensor.h"

// Products with what goes around them. Dtypes, devices, errors and costs are those of matmul (ops/matmul.h);
// what is added or scaled has the matrices' dtype, and costs what elementwise operations do. Floating dtypes
// of fewer than 32 bits are summed, scaled and added in float32, and rounded once.

namespace lectern {

/// x · weightᵀ + bias, for x of shape […, in], weight [out, in] and bias [out] or undefined: […, out].
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

/// beta · input + alpha · (a · b), of two matrices; the input is expanded to the shape of the product. Of
/// integers beta and alpha are truncated. With a beta of 0 it does not matter what the input holds.
Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);

/// Σ a_i b_i, of two vectors.
Tensor dot(const Tensor& a, const Tensor& b);

/// a_i b_j, of two vectors.
Tensor outer(const Tensor& a, const Tensor& b);

}  // namespace lectern
