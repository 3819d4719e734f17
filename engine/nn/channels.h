#pragma once

#include "ops/ternary.h"
#include "tensor/tensor.h"

// Common to norms of channels, dimension 1 of a tensor.

namespace lectern::nn {

/// A vector of one number per channel as it is broadcast to a tensor of `dims` dimensions.
inline Tensor per_channel(const Tensor& vector, std::int64_t dims) {
  Sizes sizes = Sizes::filled(static_cast<std::size_t>(dims), 1);
  sizes[1] = vector.numel();
  return vector.reshape(sizes);
}

/// x · scale + shift for each channel, in one pass over x.
inline Tensor scaled(const Tensor& x, const Tensor& scale, const Tensor& shift) {
  return addcmul(per_channel(shift, x.dim()), x, per_channel(scale, x.dim()));
}

}  // namespace lectern::nn
