#pragma once

#include "tensor/tensor.h"

// Tests for nonzero elements; NaN is nonzero. O(elements); one floating-point operation each, 2 to count.

namespace lectern {

/// Whether any, or all, elements are nonzero, over `dims`, by default all; they are removed or, with
/// `keepdim`, have size 1. Of dtype bool; uint8 for uint8. For no elements any() is false, all() true. A
/// TensorError when a dimension is out of range or repeated.
Tensor any(const Tensor& x, const Sizes& dims = {}, bool keepdim = false);
Tensor all(const Tensor& x, const Sizes& dims = {}, bool keepdim = false);

/// The number of nonzero elements, int64.
Tensor count_nonzero(const Tensor& x, const Sizes& dims = {});

}  // namespace lectern
