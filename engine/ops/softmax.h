#pragma once

#include <cstdint>
#include <optional>

#include "kernels/reduction_table.h"
#include "tensor/tensor.h"

// The row operations of kernels/reduction_table.h: softmax and its like, fused. Computed in float64 for
// float64, else in float32, and rounded once. Rows along the last dimension are read and written once. Along
// other dimensions, and in other layouts, they go through a small scratch buffer. O(elements).

namespace lectern {

/// softmax: e^x / Σ e^x along `dim`; softmin: that of -x; log_softmax: the ln of softmax. They never
/// overflow; as in PyTorch a row with infinity or NaN, or of -infinity only, gives NaN; where PyTorch's
/// exponential is subnormal, ours is 0. The result is contiguous; it has `dtype`, to which x is converted
/// first, or else x's own. A TensorError when that is not floating or the dimension is out of range. 5
/// floating-point operations per element (maximum, difference, exponential, sum, quotient).
///
/// name_backward: the gradient of x from that of `result` = name(x, dim). For softmax result (grad - Σ grad
/// result), for softmin the same negated, for log_softmax grad - e^result Σ grad: 4 floating-point operations
/// per element.
#define LECTERN_FUNCTION(name, Functor, autocast)                                  \
  Tensor name(const Tensor& x, std::int64_t dim, std::optional<Dtype> dtype = {}); \
  Tensor name##_backward(const Tensor& grad, const Tensor& result, std::int64_t dim);
LECTERN_ROW_OPERATIONS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION

}  // namespace lectern
