#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// The same with one dimension where it has none, as operations along a dimension take it.
inline Tensor at_least_one_dim(const Tensor& x) {
  return x.dim() == 0 ? x.unsqueeze(0) : x;
}

/// A value that is assigned to what an index names, which has `rank` dimensions: without the dimensions of
/// size 1 that it has before those.
inline Tensor assigned(const Tensor& value, std::size_t rank) {
  Tensor result = value;
  while (result.sizes().size() > rank && result.sizes()[0] == 1) result = result.squeeze(0);
  return result;
}

}  // namespace lectern
