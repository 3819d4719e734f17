#include "autograd/record.h"

#include <algorithm>

#include "tensor/creation.h"

namespace lectern::autograd {
namespace {

bool is_tensor(const Tensor* input) {
  return input != nullptr && input->defined();
}

}  // namespace

bool records_any(const Inputs& inputs) {
  return is_grad_enabled() && std::any_of(inputs.begin(), inputs.end(), [](const Tensor* input) {
           return is_tensor(input) && input->requires_grad();
         });
}

InputNodes nodes_of(const Inputs& inputs) {
  InputNodes nodes(inputs.size());
  std::transform(inputs.begin(), inputs.end(), nodes.all().begin(), [](const Tensor* input) {
    if (!is_tensor(input)) return std::shared_ptr<Node>();
    note_input(*input);
    return Graph::node(*input);
  });
  return nodes;
}

void check_change(std::string_view operation, const Tensor& tensor, bool recorded) {
  if (!is_grad_enabled()) return;
  if (Graph::is_unrecorded_view(tensor) &&
      (recorded || tensor.requires_grad() || Graph::base_requires_grad(tensor))) {
    throw TensorError(
        operation,
        "the tensor is a view made inside a NoGradGuard, and its base would miss a recorded change; "
        "make the view outside the guard, or change it inside one");
  }
  if (!tensor.requires_grad() || !Graph::is_protected(tensor)) return;
  throw TensorError(
      operation,
      "the tensor is a leaf that requires a gradient, or a view of one, and must not be changed "
      "in place; change it inside a NoGradGuard, or change a clone()");
}

const Tensor* overwritten(const Tensor& tensor) {
  return Graph::is_view(tensor) ? nullptr : &tensor;
}

void record_fill(std::string_view name, const Tensor& tensor) {
  if (!records(tensor)) return;
  record_change(name, tensor, {overwritten(tensor)}, [](const Tensor& grad, Gradients& gradients) {
    gradients.add(0, [&] { return zeros_like(grad); });
  });
}

}  // namespace lectern::autograd
