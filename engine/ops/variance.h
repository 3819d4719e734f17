#pragma once

#include <cstdint>

#include "tensor/tensor.h"

// Variances and standard deviations: sums squared deviations from the mean, never squares of the elements, so
// that a large mean costs no precision. Computed in float64 for float64, else in float32, and rounded once.
// O(elements); 4 floating-point operations each (sum, difference, square, sum), plus a few elementwise
// operations on the result.

namespace lectern {

/// The sum of squared deviations from the mean, divided by the number of elements minus `correction`: 1 (or
/// true) for the unbiased sample variance, 0 (or false) for the population variance. Over `dims`, by default
/// all; they are removed or, with `keepdim`, have size 1. NaN where the divisor would be 0. A TensorError
/// when the dtype is not floating, or a dimension is out of range or repeated.
Tensor var(const Tensor& x, const Sizes& dims = {}, std::int64_t correction = 1, bool keepdim = false);
/// Its square root.
Tensor std(const Tensor& x, const Sizes& dims = {}, std::int64_t correction = 1, bool keepdim = false);

}  // namespace lectern
