#pragma once

#include "tensor/tensor.h"

// Comparison of whole tensors; also methods of Tensor. O(elements).

namespace lectern {

/// Same shape and equal elements, whatever the dtypes; NaN equals nothing.
bool equal(const Tensor& a, const Tensor& b);

/// True where |a - b| <= atol + rtol |b|, which is not symmetric, or both are the same infinity, or, with
/// `equal_nan`, both are NaN. Of dtype bool, broadcast. Computed in float64 for float64, else in float32,
/// integers included; with rtol = atol = 0 integers are compared exactly. A TensorError when the dtypes
/// differ or a tolerance is negative.
Tensor isclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);

/// Whether isclose() holds everywhere.
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);

}  // namespace lectern
