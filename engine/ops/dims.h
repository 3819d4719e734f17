#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// The tensor with at least one dimension, as operations along a dimension require.
inline Tensor at_least_one_dim(const Tensor& x) {
  return x.dim() == 0 ? x.unsqueeze(0) : x;
}

/// A value assigned to an index expression of `rank` dimensions: without its extra leading dimensions of size
/// 1.
inline Tensor assigned(const Tensor& value, std::size_t rank) {
  Tensor result = value;
  while (result.sizes().size() > rank && result.sizes()[0] == 1) result = result.squeeze(0);
  return result;
}

}  // namespace lectern
