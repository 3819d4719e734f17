#include "autograd/record.h"

#include <algorithm>

namespace lectern::autograd {
namespace {

bool is_tensor(const Tensor* input) {
  return input != nullptr && input->defined();
}

}  // namespace

bool records_any(Node::Inputs inputs) {
  return is_grad_enabled() && std::any_of(inputs.begin(), inputs.end(), [](const Tensor* input) {
           return is_tensor(input) && input->requires_grad();
         });
}

bool records_any(const std::vector<Tensor>& inputs) {
  return is_grad_enabled() &&
         std::any_of(inputs.begin(), inputs.end(), [](const Tensor& input) { return input.requires_grad(); });
}

InputNodes nodes_of(Node::Inputs inputs) {
  InputNodes nodes(inputs.size());
  std::transform(inputs.begin(), inputs.end(), nodes.all().begin(),
                 [](const Tensor* input) { return is_tensor(input) ? Graph::node(*input) : nullptr; });
  return nodes;
}

InputNodes nodes_of(const std::vector<Tensor>& inputs) {
  InputNodes nodes(inputs.size());
  std::transform(inputs.begin(), inputs.end(), nodes.all().begin(), &Graph::node);
  return nodes;
}

void check_change(std::string_view operation, const Tensor& tensor) {
  if (!is_grad_enabled() || !tensor.requires_grad() || !Graph::is_guarded(tensor)) return;
  throw TensorError(
      operation,
      "the tensor is a leaf that requires a gradient, or a view of one, and must not be changed "
      "in place; do it inside of a NoGradGuard, or change a clone()");
}

}  // namespace lectern::autograd
