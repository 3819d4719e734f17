#include "autograd/backward.h"

#include <string>

#include "autograd/accumulate_grad.h"
#include "autograd/graph.h"
#include "autograd/run.h"
#include "base/tensor_error.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

using autograd::Graph;
using autograd::Node;
using Nodes = std::vector<std::shared_ptr<Node>>;

/// The gradient of a result from which a run starts.
Tensor initial_gradient(std::string_view operation, const Tensor& result, const Tensor& gradient) {
  if (!gradient.defined()) {
    if (result.numel() == 1) return ones_like(result);
    throw TensorError(
        operation,
        "the tensor has shape " + to_string(result.sizes()) +
            ", and the gradient can be omitted only for a tensor with one element; call sum() or mean() "
            "first, or pass a gradient of that shape");
  }
  if (gradient.sizes() != result.sizes() || !gradient.is_floating_point() ||
      gradient.device() != result.device()) {
    throw TensorError(
        operation, "the gradient",
        "floating, of the tensor's shape " + to_string(result.sizes()) + " and on " + result.device().name(),
        described(gradient));
  }
  return gradient.detach().to(result.dtype());
}

Nodes required_nodes(std::string_view operation, const std::vector<Tensor>& results,
                     const std::vector<Tensor>& gradients) {
  if (!gradients.empty() && gradients.size() != results.size()) {
    throw TensorError(operation, "the gradients", "as many as tensors, " + std::to_string(results.size()),
                      std::to_string(gradients.size()));
  }
  Nodes nodes;
  for (const Tensor& result : results) {
    if (nodes.emplace_back(Graph::node(result)) != nullptr) continue;
    throw TensorError(operation,
                      "the tensor requires no gradient: neither was it made from a tensor that does, nor was "
                      "requires_grad_() called on it");
  }
  return nodes;
}

void traverse(std::string_view operation, autograd::Run& run, const Nodes& nodes,
              const std::vector<Tensor>& results, const std::vector<Tensor>& gradients) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    run.add(nodes[i], initial_gradient(operation, results[i], gradients.empty() ? Tensor() : gradients[i]));
  }
  run.finish();
}

}  // namespace

void backward(const std::vector<Tensor>& tensors, const std::vector<Tensor>& gradients, bool retain_graph) {
  const Nodes nodes = required_nodes("backward", tensors, gradients);
  autograd::Run run(retain_graph);
  traverse("backward", run, nodes, tensors, gradients);
}

void Tensor::backward(const Tensor& gradient, bool retain_graph) const {
  lectern::backward({*this}, {gradient}, retain_graph);
}

namespace autograd {

void zero_grad(const std::vector<Tensor>& tensors, bool set_to_none) {
  const NoGradGuard no_grad;
  for (const Tensor& tensor : tensors) {
    if (!tensor.grad().defined()) continue;
    if (set_to_none) {
      tensor.mutable_grad() = Tensor();
    } else {
      tensor.grad().zero_();
    }
  }
}

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs, const GradOptions& options) {
  const Nodes nodes = required_nodes("grad", outputs, grad_outputs);
  Nodes wanted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    wanted.push_back(Graph::node(inputs[i]));
    if (wanted.back() == nullptr) {
      throw TensorError("grad", "input " + std::to_string(i) + " requires no gradient");
    }
  }
  Run run(options.retain_graph);
  run.capture(wanted, nodes);
  traverse("grad", run, nodes, outputs, grad_outputs);
  std::vector<Tensor> gradients;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    gradients.push_back(run.captured(wanted[i].get()));
    if (!gradients.back().defined() && !options.allow_unused) {
      throw TensorError("grad", "the outputs do not depend on input " + std::to_string(i) +
                                    "; with allow_unused = true its gradient is undefined");
    }
  }
  return gradients;
}

}  // namespace autograd

bool Tensor::is_leaf() const {
  return autograd::Graph::grad_fn(*this) == nullptr;
}

std::string_view Tensor::grad_fn() const {
  const auto& node = autograd::Graph::grad_fn(*this);
  return node == nullptr ? std::string_view() : node->name();
}

Tensor Tensor::grad() const {
  const auto& accumulator = autograd::Graph::known_accumulator(*this);
  return accumulator == nullptr ? Tensor() : accumulator->grad;
}

Tensor& Tensor::mutable_grad() const {
  return autograd::Graph::accumulator(*this)->grad;
}

const Tensor& Tensor::retain_grad() const {
  if (!requires_grad()) throw TensorError("retain_grad", "the tensor requires no gradient");
  if (const auto& node = autograd::Graph::grad_fn(*this))
    node->retained = autograd::Graph::accumulator(*this);
  return *this;
}

void Tensor::set_data(const Tensor& data) const {
  if (!is_leaf()) {
    throw TensorError("set_data", "the tensor is not a leaf, and only the data of a leaf can be replaced");
  }
  if (requires_grad() && !data.is_floating_point()) {
    throw TensorError("set_data", "the data of a tensor that requires a gradient", "floating",
                      name(data.dtype()));
  }
  autograd::Graph::set_data(*this, data);
}

}  // namespace lectern
