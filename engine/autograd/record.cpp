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

std::vector<std::shared_ptr<Node>> nodes_of(Node::Inputs inputs) {
  std::vector<std::shared_ptr<Node>> nodes;
  nodes.reserve(inputs.size());
  for (const Tensor* input : inputs) nodes.push_back(is_tensor(input) ? Graph::node(*input) : nullptr);
  return nodes;
}

std::vector<std::shared_ptr<Node>> nodes_of(const std::vector<Tensor>& inputs) {
  std::vector<std::shared_ptr<Node>> nodes;
  nodes.reserve(inputs.size());
  for (const Tensor& input : inputs) nodes.push_back(Graph::node(input));
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
