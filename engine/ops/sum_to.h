#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// Undoes broadcasting: sums over the dimensions along which a tensor of shape `sizes` was expanded to x's
/// shape. Itself if there are none. The gradient of every operation that broadcasts.
Tensor sum_to(const Tensor& x, const Sizes& sizes);

}  // namespace lectern
