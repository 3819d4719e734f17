#pragma once

#include "tensor/tensor.h"

// Which elements are 0. NaN is not. O(elements); one floating-point operation for each, 2 to count them.

namespace lectern {

/// Whether any, or all, of the elements are not 0: over `dims`, all where there are none; they vanish, or,
/// with `keepdim`, have size 1. Of dtype bool; of uint8 for uint8. Of nothing, any() is false, all() true. A
/// TensorError when a dimension is out of range or named twice.
Tensor any(const Tensor& x, const Sizes& dims = {}, bool keepdim = false);
Tensor all(const Tensor& x, const Sizes& dims = {}, bool keepdim = false);

/// How many elements are not 0, int64.
Tensor count_nonzero(const Tensor& x, const Sizes& dims = {});

}  // namespace lectern
