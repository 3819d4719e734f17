#include "autograd/backward.h"

#include <string>

#include "autograd/accumulate_grad.h"
#include "autograd/graph.h"
#include "autograd/run.h"
#include "base/tensor_error.h"
#include "tensor/creation.h"
#include "tensor/described.h"

namespace lectern {
namespace {

using autograd::Graph;
using autograd::Node;
using Nodes = std::vector<std::shared_ptr<Node>>;

/// The gradient that a run starts with at one of its results.
Tensor first_gradient(std::string_view operation, const Tensor& result, const Tensor& given) {
  if (!given.defined()) {
    if (result.numel() == 1) return ones_like(result);
    throw TensorError(operation,
                      "the tensor has shape " + to_string(result.sizes()) +
                          ", and only of a single number the gradient is 1 by itself; call sum() or mean() "
                          "first, or give a gradient of that shape");
  }
  if (given.sizes() != result.sizes() || !given.is_floating_point() || given.device() != result.device()) {
    throw TensorError(
        operation, "the gradient",
        "floating, of the tensor's shape " + to_string(result.sizes()) + " and on " + result.device().name(),
        described(given));
  }
  return given.detach().to(result.dtype());
}

std::shared_ptr<Node> node_of(std::string_view operation, const Tensor& result) {
  std::shared_ptr<Node> node = Graph::node(result);
  if (node != nullptr) return node;
  throw TensorError(operation,
                    "the tensor requires no gradient: neither was it made from a tensor that does, nor was "
                    "requires_grad_() called on it");
}

/// The nodes of the results.
Nodes begin(std::string_view operation, const std::vector<Tensor>& results,
            const std::vector<Tensor>& gradients) {
  if (!gradients.empty() && gradients.size() != results.size()) {
    throw TensorError(operation, "the gradients", "as many as tensors, " + std::to_string(results.size()),
                      std::to_string(gradients.size()));
  }
  Nodes nodes;
  for (const Tensor& result : results) nodes.push_back(node_of(operation, result));
  return nodes;
}

void walk(std::string_view operation, autograd::Run& run, const Nodes& nodes,
          const std::vector<Tensor>& results, const std::vector<Tensor>& gradients) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    run.give(nodes[i], first_gradient(operation, results[i], gradients.empty() ? Tensor() : gradients[i]));
  }
  run.finish();
}

}  // namespace

void backward(const std::vector<Tensor>& tensors, const std::vector<Tensor>& gradients, bool retain_graph) {
  const Nodes nodes = begin("backward", tensors, gradients);
  autograd::Run run(retain_graph);
  walk("backward", run, nodes, tensors, gradients);
}

void Tensor::backward(const Tensor& gradient, bool retain_graph) const {
  const std::shared_ptr<Node> node = node_of("backward", *this);
  autograd::Run run(retain_graph);
  run.give(node, first_gradient("backward", *this, gradient));
  run.finish();
}

namespace autograd {

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs, const GradOptions& options) {
  const Nodes nodes = begin("grad", outputs, grad_outputs);
  Nodes wanted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    wanted.push_back(Graph::node(inputs[i]));
    if (wanted.back() == nullptr) {
      throw TensorError("grad", "input " + std::to_string(i) + " requires no gradient");
    }
  }
  Run run(options.retain_graph);
  run.capture(wanted, nodes);
  walk("grad", run, nodes, outputs, grad_outputs);
  std::vector<Tensor> gradients;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    gradients.push_back(run.captured(wanted[i].get()));
    if (!gradients.back().defined() && !options.allow_unused) {
      throw TensorError("grad", "the outputs were not made from input " + std::to_string(i) +
                                    "; allow_unused = true gives an undefined gradient for it");
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
    throw TensorError("set_data", "an operation made the tensor; only a leaf can get other numbers");
  }
  if (requires_grad() && !data.is_floating_point()) {
    throw TensorError("set_data", "data, for a tensor that requires a gradient,", "floating",
                      std::string(name(data.dtype())));
  }
  autograd::Graph::set_data(*this, data);
}

}  // namespace lectern
