#pragma once

#include "tensor/tensor.h"

// Reordering along dimensions; also methods. One copy per dimension. The gradient is the operation itself
// applied to the gradient: flip(grad, dims), roll(grad, -shifts, dims).

namespace lectern {

/// Reverses the order along each of the dimensions.
Tensor flip(const Tensor& x, const Sizes& dims);
/// Shifts elements by shifts[i] along dims[i], wrapping around at the end. Without dims, one shift of all
/// elements in row-major order.
Tensor roll(const Tensor& x, const Sizes& shifts, const Sizes& dims = {});

}  // namespace lectern
