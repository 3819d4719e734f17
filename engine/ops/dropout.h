#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// Zeroes each element with probability p and divides the others by 1 - p; draws as PyTorch does. The
/// identity unless `training`, or when p is 0. A TensorError unless p is in [0, 1].
Tensor dropout(const Tensor& x, double p = 0.5, bool training = true, Generator* generator = nullptr);

}  // namespace lectern
