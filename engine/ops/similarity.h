#pragma once

#include "tensor/tensor.h"

// Lengths and angles of vectors along a dimension. Costs are those of the operations that they are composed
// of.

namespace lectern {

/// x · y / (max(‖x‖, eps) max(‖y‖, eps)) for the vectors along `dim`, which x and y, broadcast, have; of the
/// promoted dtype, which is floating. As in PyTorch, the gradient of max(‖x‖, eps) is x / max(‖x‖, eps).
Tensor cosine_similarity(const Tensor& x, const Tensor& y, std::int64_t dim = 1, double eps = 1e-8);

/// x / max(‖x‖ₚ, eps) for the vectors along `dim`, computed in float32 where x is of 16 bits or fewer.
Tensor normalize(const Tensor& x, double p = 2, std::int64_t dim = 1, double eps = 1e-12);

}  // namespace lectern
