#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"

// Products of elements, computed and rounded as sums are (ops/sum.h). O(elements); one floating-point
// operation for each. The gradient is made of elementwise operations and reductions.

namespace lectern {

/// Of all elements: of shape []. The result has `dtype`; without it int64 for integers and bool, else x's
/// own. Elements are converted to it first. The product of nothing is 1.
Tensor prod(const Tensor& x, std::optional<Dtype> dtype = {});
/// Over one dimension; it vanishes, or, with `keepdim`, has size 1. A TensorError when it is out of range.
Tensor prod(const Tensor& x, std::int64_t dim, bool keepdim = false, std::optional<Dtype> dtype = {});

/// The gradient of x from that of prod(x): grad times the product of all other elements, also where some are
/// 0, and NaN where infinities or NaN are among them as well.
Tensor prod_backward(const Tensor& grad, const Tensor& x);
Tensor prod_backward(const Tensor& grad, const Tensor& x, std::int64_t dim);

}  // namespace lectern
