#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// The positions of the nonzero elements in row-major order: int64 [count, x.dim()]. Also a method. On a GPU
/// it synchronizes to learn the count. O(elements).
Tensor nonzero(const Tensor& x);

}  // namespace lectern
