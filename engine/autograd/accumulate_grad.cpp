#include "autograd/accumulate_grad.h"

#include <utility>

#include "autograd/gradient_sums.h"
#include "autograd/graph.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern::autograd {

AccumulateGrad::AccumulateGrad(std::shared_ptr<Slot> slot, const Tensor& leaf)
    : Node("accumulate_grad", 0, {}),
      slot_(std::move(slot)),
      sizes_(leaf.sizes()),
      strides_(is_dense(leaf.sizes(), leaf.strides()) ? leaf.strides() : contiguous_strides(leaf.sizes())) {}

void AccumulateGrad::backward(const Tensor& gradient, Gradients&) {
  Tensor& grad = slot_->grad;
  if (grad.defined()) {
    add_into(grad, gradient);
  } else if (Graph::is_alone(gradient) && gradient.strides() == strides_) {
    grad = gradient;
  } else {
    grad = copied("accumulate_grad", gradient, gradient.dtype(), gradient.device(), strides_);
  }
}

}  // namespace lectern::autograd
