#pragma once

#include <optional>

#include "tensor/tensor.h"

// Vector norms, computed in float64 for float64, else in float32, and rounded once. O(elements); 2
// floating-point operations each (absolute value or square, sum, maximum or count).

namespace lectern {

/// (Σ |x|^p)^(1/p). p = inf: the largest |x|; -inf: the smallest; 0: the number of nonzero elements. Over
/// `dims`, by default all; they are removed or, with `keepdim`, have size 1. The result has `dtype` or else
/// x's own, to which elements are converted first. The norm of no elements is 0. A TensorError when the dtype
/// is not floating, or a dimension is out of range or repeated.
///
/// Other p than these, 1 and 2 need memory for the powers of all elements, and cost what the composing
/// operations do. So does the gradient.
Tensor norm(const Tensor& x, double p = 2, const Sizes& dims = {}, bool keepdim = false,
            std::optional<Dtype> dtype = {});

}  // namespace lectern
