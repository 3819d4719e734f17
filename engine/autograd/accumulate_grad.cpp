#include "autograd/accumulate_grad.h"

#include "autograd/gradient_sums.h"
#include "autograd/graph.h"
#include "base/tensor_error.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern::autograd {

AccumulateGrad::AccumulateGrad(const Tensor& tensor) : Node("accumulate_grad", 0, {}) {
  set_layout(tensor);
}

void AccumulateGrad::set_layout(const Tensor& tensor) {
  const bool dense = is_dense(tensor.sizes(), tensor.strides());
  strides_ = dense ? tensor.strides() : contiguous_strides(tensor.sizes());
}

void AccumulateGrad::backward(const Tensor& gradient, Gradients&) {
  if (!is_open_) {
    throw TensorError(
        "backward",
        "a leaf that requires a gradient is a view of a tensor that was since modified in place by a "
        "recorded operation; clone() it, or request the gradient of that tensor");
  }
  if (grad.defined()) {
    if (!are_alike(grad, gradient))
      throw TensorError("backward", "an assigned grad()", described(gradient), described(grad));
    add_into(grad, gradient);
    return;
  }
  if (Graph::is_unique(gradient) && gradient.strides() == strides_) {
    grad = gradient;
  } else {
    grad = copied("accumulate_grad", gradient, gradient.dtype(), gradient.device(), strides_);
  }
  grad.storage().set_category(MemoryCategory::gradient);
}

}  // namespace lectern::autograd
