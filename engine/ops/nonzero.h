#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// The positions of the nonzero elements in row-major order: int64 [count, x.dim()]. Also a method. On a GPU
/// it synchronizes to learn the count. O(elements).
Tensor nonzero(const Tensor& x);

/// The same by its other name.
Tensor argwhere(const Tensor& x);

/// The number of nonzero elements, int64, over `dims`, by default all. NaN is nonzero. O(elements); 2
/// floating-point operations each.
Tensor count_nonzero(const Tensor& x, const Sizes& dims = {});

}  // namespace lectern
