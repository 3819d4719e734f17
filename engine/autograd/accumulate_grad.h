#pragma once

#include "autograd/node.h"

namespace lectern::autograd {

/// Where a tensor's gradient is collected. Of a leaf it stands for the tensor in graphs, and adds what
/// arrives to what is there; of another tensor it only keeps the gradient (Node::retained).
class AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(const Tensor& tensor);

  void backward(const Tensor& gradient, Gradients& gradients) override;
  /// The tensor is no leaf any more: a gradient that arrives still is a TensorError.
  void close() { is_open_ = false; }
  /// From now on gradients are laid out as this tensor is.
  void lay_out_as(const Tensor& tensor);

  Tensor grad = {};  ///< undefined: none has arrived

 private:
  /// Somebody may have assigned another one; a TensorError then.
  void check_fits(const Tensor& gradient) const;

  Sizes strides_;  ///< of the gradient
  bool is_open_ = true;
};

}  // namespace lectern::autograd
