#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"

// Products of elements, computed and rounded like sums (ops/sum.h). O(elements); one floating-point operation
// each. The gradient is composed of elementwise operations and reductions.

namespace lectern {

/// Over all elements: of shape []. The result has `dtype`; by default int64 for integers and bool, else x's
/// own. Elements are converted to it first. The empty product is 1.
Tensor prod(const Tensor& x, std::optional<Dtype> dtype = {});
/// Over one dimension, removed or, with `keepdim`, of size 1. A TensorError when it is out of range.
Tensor prod(const Tensor& x, std::int64_t dim, bool keepdim = false, std::optional<Dtype> dtype = {});

}  // namespace lectern
