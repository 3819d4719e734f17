#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// ln Σ e^x, in one pass and without overflow: over `dims`, all where there are none; they vanish, or, with
/// `keepdim`, have size 1. Of nothing it is -inf. Computed in float64 for float64, else in float32, and
/// rounded once; of integers and bool the result is float32. A TensorError when a dimension is out of range
/// or named twice. O(elements); 4 floating-point operations for each (maximum, difference, power, sum).
///
/// The gradient of x is grad e^(x - result), 3 operations.
Tensor logsumexp(const Tensor& x, const Sizes& dims = {}, bool keepdim = false);

}  // namespace lectern
