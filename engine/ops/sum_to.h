#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// Undoes broadcasting: the sum over what was repeated when a tensor of shape `sizes` was expanded to that of
/// `x`. Itself where nothing was. The gradient of every operation that broadcasts.
Tensor sum_to(const Tensor& x, const Sizes& sizes);

}  // namespace lectern
