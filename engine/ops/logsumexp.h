#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// ln Σ e^x, in one pass and without overflow, over `dims`, by default all; they are removed or, with
/// `keepdim`, have size 1. -inf for no elements. Computed in float64 for float64, else in float32, and
/// rounded once; float32 for integers and bool. A TensorError when a dimension is out of range or repeated.
/// O(elements); 4 floating-point operations each (maximum, difference, exponential, sum).
///
/// The gradient of x is grad e^(x - result), 3 operations.
Tensor logsumexp(const Tensor& x, const Sizes& dims = {}, bool keepdim = false);

}  // namespace lectern
