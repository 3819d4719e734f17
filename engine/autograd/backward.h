#pragma once

#include <vector>

#include "autograd/anomaly.h"
#include "autograd/grad_mode.h"
#include "autograd/hooks.h"
#include "tensor/tensor.h"

// Reverse-mode automatic differentiation, define-by-run as in PyTorch: operations on tensors that require a
// gradient are recorded as they run; backward() traverses the recorded graph and accumulates into each leaf's
// grad() the derivative of the result with respect to it.
//
// A graph is traversed once and frees its memory on the way, unless `retain_graph`. Gradients of gradients
// are not recorded. device/threads.h says what is bitwise independent of the number of threads.
//
// Several threads may compute at once, sharing tensors that none of them changes. A tensor that requires a
// gradient belongs to one thread at a time, since the graph and grad() are stored with it.
//
// TensorErrors: a result that requires no gradient; one with several elements and no gradient given; a graph
// that was freed; a saved tensor that was changed in place since.

namespace lectern {

/// tensors[i].backward(gradients[i]) for all of them at once. Missing or undefined gradients are 1, for
/// tensors with one element.
void backward(const std::vector<Tensor>& tensors, const std::vector<Tensor>& gradients = {},
              bool retain_graph = false);

namespace autograd {

/// Clears the gradients of these tensors, as if there had been no backward(), or zeroes them.
void zero_grad(const std::vector<Tensor>& tensors, bool set_to_none = true);

struct GradOptions {
  bool retain_graph = false;
  /// Undefined gradients for inputs not used in the graph, instead of a TensorError.
  bool allow_unused = false;
};

/// The gradients of the inputs, leaves or not, without accumulating into grad(). Only the paths to the inputs
/// are computed.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs = {}, const GradOptions& options = {});

}  // namespace autograd
}  // namespace lectern
