#pragma once

#include <cstdint>

#include "tensor/tensor.h"

// Variances and standard deviations: the squares of the distances from the mean are summed up, never the
// squares of the elements, so that a large mean costs no digits. Computed in float64 for float64, else in
// float32, and rounded once. O(elements); 4 floating-point operations for each (sum, difference, square,
// sum), and what comes after it is made of elementwise operations.

namespace lectern {

/// The sum of the squared distances from the mean, divided by the number of elements less `correction`: 1, or
/// true, for an unbiased estimate, 0, or false, for the variance of just these numbers. Over `dims`, all
/// where there are none; they vanish, or, with `keepdim`, have size 1. NaN where the divisor would be 0. A
/// TensorError when the dtype is not floating, a dimension is out of range or named twice.
Tensor var(const Tensor& x, const Sizes& dims = {}, std::int64_t correction = 1, bool keepdim = false);
/// Its root.
Tensor std(const Tensor& x, const Sizes& dims = {}, std::int64_t correction = 1, bool keepdim = false);

/// The gradient of x from that of var(x): grad 2 (x - mean) / (elements - correction), as in PyTorch also
/// where the correction is larger; infinite where it is the number of elements and `dims` names none.
Tensor var_backward(const Tensor& grad, const Tensor& x, const Sizes& dims, std::int64_t correction);
/// From that of `result` = std(x): var_backward(grad / (2 result)), 0 where the result is.
Tensor std_backward(const Tensor& grad, const Tensor& x, const Tensor& result, const Sizes& dims,
                    std::int64_t correction);

}  // namespace lectern
