#pragma once

#include <vector>

#include "autograd/anomaly.h"
#include "autograd/grad_mode.h"
#include "autograd/hooks.h"
#include "tensor/tensor.h"

// Gradients by reverse-mode differentiation, as in PyTorch's define-by-run: operations on tensors that
// require a gradient are recorded as they run; backward() goes back through what was recorded and adds to
// each leaf's grad() the derivative of the result with respect to it.
//
// A graph is gone through once, and gives its memory back as it goes, unless `retain_graph`. Gradients of
// gradients are not recorded. What has the same bits with any number of threads says device/threads.h.
//
// Several threads may compute at once, on tensors that they share while none of them changes them. A tensor
// that requires a gradient is one thread's at a time: what is recorded, and grad(), is kept with it.
//
// TensorErrors: a result that requires no gradient; one of several numbers without a gradient of its own; a
// graph that was given back; a tensor that an operation saved and that was changed in place since.

namespace lectern {

/// tensors[i].backward(gradients[i]) for all of them at once. No gradients, or an undefined one: 1, of
/// tensors that hold one number.
void backward(const std::vector<Tensor>& tensors, const std::vector<Tensor>& gradients = {},
              bool retain_graph = false);

namespace autograd {

struct GradOptions {
  bool retain_graph = false;
  /// Undefined gradients for inputs that the outputs were not made from, instead of a TensorError.
  bool allow_unused = false;
};

/// The gradients of the inputs, which may be leaves or not; the grad() of leaves stays as it is. Only what is
/// on the way to the inputs is computed.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs = {}, const GradOptions& options = {});

}  // namespace autograd
}  // namespace lectern
