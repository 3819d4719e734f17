#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// How many elements are in each of `bins` equal intervals from `min` to `max`, of x's dtype, which is
/// floating; also a method. The last interval includes its end; elements outside and NaN count nowhere. With
/// min = max the interval is from the smallest element to the largest or, if these are equal, 1 further on
/// both sides; they must be finite. Costs are those of the operations. No gradient. Synchronizes a GPU.
Tensor histc(const Tensor& x, std::int64_t bins = 100, double min = 0, double max = 0);

}  // namespace lectern
