#pragma once

#include <optional>

#include "tensor/tensor.h"

// Norms of vectors, computed in float64 for float64, else in float32, and rounded once. O(elements); 2
// floating-point operations for each (absolute value or square, sum, maximum or count).

namespace lectern {

/// (Σ |x|^p)^(1/p). For p = inf the largest, for -inf the smallest |x|; for 0 how many are not 0. Over
/// `dims`, all where there are none; they vanish, or, with `keepdim`, have size 1. The result has `dtype` or
/// else x's own, to which elements are converted first. The norm of nothing is 0. A TensorError when the
/// dtype is not floating, a dimension is out of range or named twice.
///
/// Powers other than these and 1 and 2 take memory for the powers of all elements, and cost what the
/// operations do that compute them. So does the gradient.
Tensor norm(const Tensor& x, double p = 2, const Sizes& dims = {}, bool keepdim = false,
            std::optional<Dtype> dtype = {});

/// The gradient of x from that of `result` = norm(x, p, dims): grad x |x|^(p - 2) / result^(p - 1). Of the
/// largest or smallest |x| it goes to those elements, in equal shares; where one is NaN, all are 0.
Tensor norm_backward(const Tensor& grad, const Tensor& x, const Tensor& result, double p,
                     const Sizes& dims = {});

}  // namespace lectern
