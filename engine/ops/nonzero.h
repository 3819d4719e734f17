#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// The positions of the elements that are not 0, in row-major order: int64, a row for each of them with one
/// column for each dimension of `x`. Also a method. On a GPU it waits for the number of rows. O(elements).
Tensor nonzero(const Tensor& x);

}  // namespace lectern
