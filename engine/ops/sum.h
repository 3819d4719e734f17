#pragma once

#include "tensor/tensor.h"

// Sums and means. Also methods of Tensor.
//
// Computed in float64 for float64, in float32 for the other floating dtypes, in int64 for integers and bool,
// and rounded to the result's dtype once. The order of the additions depends on shape and strides only: the
// result is bitwise the same on every processor of a platform and with any number of threads. The error grows
// with the logarithm of the number of elements. O(elements); one floating-point operation each.

namespace lectern {

/// Over all elements: of shape []. The result has `dtype`; by default int64 for integers and bool, else x's
/// own. Elements are converted to `dtype` first, in its compute type. The empty sum is 0.
Tensor sum(const Tensor& x, std::optional<Dtype> dtype = {});
/// Over `dims`, by default all; they are removed or, with `keepdim`, have size 1. A TensorError when a
/// dimension is out of range or repeated.
Tensor sum(const Tensor& x, const Sizes& dims, bool keepdim = false, std::optional<Dtype> dtype = {});

/// The same, divided by the number of elements before rounding. A TensorError when the result's dtype,
/// `dtype` or x's own, is not floating. The mean of no elements is NaN.
Tensor mean(const Tensor& x, std::optional<Dtype> dtype = {});
Tensor mean(const Tensor& x, const Sizes& dims, bool keepdim = false, std::optional<Dtype> dtype = {});

}  // namespace lectern
