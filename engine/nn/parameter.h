#pragma once

#include "tensor/tensor.h"

namespace lectern::nn {

/// A trainable tensor of a module: a leaf of the graph. A handle like every tensor: a copy, in an optimizer
/// say, is the same parameter.
class Parameter : public Tensor {
 public:
  /// Undefined: for example, the bias of a module without one.
  Parameter() = default;
  /// Shares the storage of `data`, but not its graph. A TensorError when it is not floating and requires_grad
  /// is set.
  explicit Parameter(const Tensor& data, bool requires_grad = true) : Tensor(data.detach()) {
    requires_grad_(requires_grad);
  }
};

}  // namespace lectern::nn
