#pragma once

#include <string_view>

#include "tensor/tensor.h"

// What operations have in common that compute x · weightᵀ + bias, each in its way.

namespace lectern {

/// A TensorError naming `operation` unless x is […, in], weight [out, in], and bias [out] or undefined.
void check_linear_shapes(std::string_view operation, const Tensor& x, const Tensor& weight,
                         const Tensor& bias);

/// All dimensions but the last one as rows of a matrix.
Tensor as_rows(const Tensor& x);

}  // namespace lectern
