#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// The same with one dimension where it has none, as operations along a dimension take it.
inline Tensor at_least_one_dim(const Tensor& x) {
  return x.dim() == 0 ? x.unsqueeze(0) : x;
}

}  // namespace lectern
