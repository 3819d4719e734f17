#include "autograd/accumulate_grad.h"

#include "autograd/gradient_sums.h"
#include "autograd/graph.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern::autograd {

AccumulateGrad::AccumulateGrad(const Tensor& tensor)
    : Node("accumulate_grad", 0, {}),
      strides_(is_dense(tensor.sizes(), tensor.strides()) ? tensor.strides()
                                                          : contiguous_strides(tensor.sizes())) {}

void AccumulateGrad::backward(const Tensor& gradient, Gradients&) {
  if (grad.defined()) {
    add_into(grad, gradient);
  } else if (Graph::is_alone(gradient) && gradient.strides() == strides_) {
    grad = gradient;
  } else {
    grad = copied("accumulate_grad", gradient, gradient.dtype(), gradient.device(), strides_);
  }
}

}  // namespace lectern::autograd
