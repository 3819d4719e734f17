#pragma once

#include <string_view>

#include "tensor/tensor.h"

// Products with fused additions. Dtypes, devices, errors and costs are those of matmul (ops/matmul.h); added
// or scaled operands have the matrices' dtype, and cost what elementwise operations do. Floating dtypes of
// fewer than 32 bits are summed, scaled and added in float32, and rounded once.

namespace lectern {

/// x · weightᵀ + bias for x […, in], weight [out, in] and bias [out] or undefined: […, out].
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

/// A TensorError naming `operation` unless x, weight and bias have these shapes.
void check_linear_shapes(std::string_view operation, const Tensor& x, const Tensor& weight,
                         const Tensor& bias);
/// Flattens all dimensions but the last into the rows of a matrix.
Tensor as_rows(const Tensor& x);

/// beta · input + alpha · (a · b) for two matrices; the input is broadcast to the product's shape. For
/// integers beta and alpha are truncated. With beta = 0 the input's values are ignored.
Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);

/// The same for two batches of equally many matrices.
Tensor baddbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1,
               Scalar alpha = 1);

/// Σ a_i b_i for two vectors.
Tensor dot(const Tensor& a, const Tensor& b);

/// a_i b_j for two vectors.
Tensor outer(const Tensor& a, const Tensor& b);

}  // namespace lectern
