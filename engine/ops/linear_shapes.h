#pragma once

#include <string_view>

#include "tensor/tensor.h"

// Common to the implementations of x · weightᵀ + bias.

namespace lectern {

/// A TensorError naming `operation` unless x is […, in], weight [out, in], and bias [out] or undefined.
void check_linear_shapes(std::string_view operation, const Tensor& x, const Tensor& weight,
                         const Tensor& bias);

/// Flattens all dimensions but the last into the rows of a matrix.
Tensor as_rows(const Tensor& x);

}  // namespace lectern
