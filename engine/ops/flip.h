#pragma once

#include "tensor/tensor.h"

// The same elements in another order along some dimensions; also methods. Copies, one for each dimension.
// The gradient of each is the operation itself on the gradient: flip(grad, dims), roll(grad, -shifts, dims).

namespace lectern {

/// The last first, along each of the dimensions.
Tensor flip(const Tensor& x, const Sizes& dims);
/// Each element shifts[i] places further along dims[i]; what leaves at the end comes in at the beginning.
/// Without dims, one shift of all elements in row-major order.
Tensor roll(const Tensor& x, const Sizes& shifts, const Sizes& dims = {});

}  // namespace lectern
