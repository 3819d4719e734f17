#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"

// Softmax, fused: computed in float64 for float64, else in float32, and rounded once. Rows along the last
// dimension are read and written once. Along other dimensions, and in other layouts, they go through a small
// scratch buffer. O(elements).

namespace lectern {

/// e^x / Σ e^x along `dim`; its ln. Never overflows; as in PyTorch a row with infinity or NaN, or of
/// -infinity only, gives NaN; where PyTorch's exponential is subnormal, ours is 0. The result is contiguous;
/// it has `dtype`, to which x is converted first, or else x's own. A TensorError when that is not floating or
/// the dimension is out of range. 5 floating-point operations per element (maximum, difference, exponential,
/// sum, quotient).
Tensor softmax(const Tensor& x, std::int64_t dim, std::optional<Dtype> dtype = {});
Tensor log_softmax(const Tensor& x, std::int64_t dim, std::optional<Dtype> dtype = {});

/// The gradient of x from that of `result` = softmax(x, dim): result (grad - Σ grad result). 4 floating-point
/// operations per element.
Tensor softmax_backward(const Tensor& grad, const Tensor& result, std::int64_t dim);
/// From that of `result` = log_softmax(x, dim): grad - e^result Σ grad. Likewise 4.
Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, std::int64_t dim);

}  // namespace lectern
