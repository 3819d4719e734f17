#pragma once

#include "tensor/tensor.h"

namespace lectern::nn {

/// A tensor that a module learns: a leaf of the graph of gradients. A handle like every tensor: whoever holds
/// a copy, an optimizer say, holds the same parameter.
class Parameter : public Tensor {
 public:
  /// None: what a module has in the place of a bias that it does without.
  Parameter() = default;
  /// Shares the numbers of `data`, but not its past. A TensorError when they are not floating and it is to
  /// require a gradient.
  explicit Parameter(const Tensor& data, bool requires_grad = true) : Tensor(data.detach()) {
    requires_grad_(requires_grad);
  }
};

}  // namespace lectern::nn
