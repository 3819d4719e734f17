#pragma once

#include "autograd/node.h"

namespace lectern::autograd {

/// Accumulates a tensor's gradient. For a leaf it is the tensor's node in graphs and adds incoming gradients
/// to the existing one; for a non-leaf it only stores the gradient (Node::retained).
class AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(const Tensor& tensor);

  /// A TensorError when the user assigned a gradient that does not fit.
  void backward(const Tensor& gradient, Gradients& gradients) override;
  /// The tensor is no longer a leaf: a gradient that still arrives is a TensorError.
  void close() { is_open_ = false; }
  /// From now on gradients have the layout of this tensor.
  void set_layout(const Tensor& tensor);

  Tensor grad = {};  ///< undefined: none yet

 private:
  Sizes strides_;  ///< of the gradient
  bool is_open_ = true;
};

}  // namespace lectern::autograd
