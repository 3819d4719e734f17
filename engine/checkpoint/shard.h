#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace lectern {

/// What one of several processes has of a tensor.
struct Shard {
  Tensor local;  ///< its elements: a handle, so that they can be loaded into
  Sizes shape;   ///< of the whole tensor
  /// Where they begin in it: per dimension, where `local` is a box of the whole; or one number, where it is
  /// one-dimensional, a range of the elements in row-major order.
  Sizes offsets;
};

/// By name.
using ShardedStateDict = std::vector<std::pair<std::string, Shard>>;

/// A tensor that is whole.
Shard whole(const Tensor& tensor);

/// The part of `tensor`, which is whole and contiguous, that such a shard has: a view. A TensorError when it
/// reaches beyond the tensor.
Tensor part_of(const Tensor& tensor, const Sizes& sizes, const Sizes& offsets);

}  // namespace lectern
