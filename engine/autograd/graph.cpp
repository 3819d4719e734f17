#include "autograd/graph.h"

#include <utility>

#include "autograd/accumulate_grad.h"
#include "autograd/gradient_sums.h"
#include "autograd/record.h"
#include "tensor/print.h"

namespace lectern::autograd {
namespace {

/// Here, since a program without this has no graphs.
[[maybe_unused]] const bool names_are_known = [] {
  set_grad_fn_name([](const Tensor& tensor) {
    const auto& node = Graph::grad_fn(tensor);
    return node == nullptr ? std::string_view() : node->name();
  });
  return true;
}();

}  // namespace

std::shared_ptr<Node> Graph::node(const Tensor& tensor) {
  if (!tensor.requires_grad()) return nullptr;
  const Tensor::Impl& impl = tensor.impl();
  if (is_unrecorded_view(tensor) && impl.changes != impl.base->changes) {
    throw TensorError(
        "a view",
        "it was made inside a NoGradGuard, and its base was since modified in place by a recorded "
        "operation, whose gradient would not reach the view; make it outside the guard, or detach() it");
  }
  if (const auto& node = grad_fn(tensor)) return node;
  return accumulator(tensor);
}

const std::shared_ptr<Node>& Graph::grad_fn(const Tensor& tensor) {
  follow_base(tensor);
  return tensor.impl().grad_fn;
}

const std::shared_ptr<AccumulateGrad>& Graph::accumulator(const Tensor& tensor) {
  std::shared_ptr<AccumulateGrad>& accumulator = tensor.impl().accumulator;
  if (accumulator == nullptr) accumulator = std::make_shared<AccumulateGrad>(tensor);
  return accumulator;
}

void Graph::set_grad_fn(const Tensor& tensor, std::shared_ptr<Node> node) {
  Tensor::Impl& impl = tensor.impl();
  if (impl.grad_fn != nullptr) node->retained = std::move(impl.grad_fn->retained);
  impl.grad_fn = std::move(node);
  impl.requires_grad = true;
}

void Graph::set_base(const Tensor& view, const Tensor& source, bool recorded) {
  Tensor::Impl& impl = view.impl();
  impl.base = source.impl().base == nullptr ? source.impl_ : source.impl().base;
  impl.follows_base = recorded && !is_unrecorded_view(source);
  impl.changes = is_unrecorded_view(source) ? source.impl().changes : impl.base->changes;
}

void Graph::follow_base(const Tensor& view) {
  Tensor::Impl& impl = view.impl();
  if (!impl.follows_base || !impl.base->requires_grad) return;
  const bool is_known = impl.changes == impl.base->changes;
  if (is_known && (impl.grad_fn != nullptr || impl.requires_grad)) return;
  const bool was_leaf = impl.grad_fn == nullptr && impl.requires_grad;
  if (was_leaf && impl.accumulator != nullptr) impl.accumulator->close();
  Tensor base;
  base.impl_ = impl.base;
  impl.changes = impl.base->changes;
  record("as_strided", view, {&base},
         [base = Layout(base), at = Layout(view)](const Tensor& grad, Gradients& gradients) {
           gradients.add(0, base_gradient(base, at, grad));
         });
}

void Graph::change(const Tensor& tensor, std::shared_ptr<Node> node) {
  Tensor::Impl& impl = tensor.impl();
  if (impl.base == nullptr) {
    set_grad_fn(tensor, std::move(node));
    ++impl.changes;
    return;
  }
  Tensor base;
  base.impl_ = impl.base;
  Tensor part = tensor.detach();  // as it is now, made by `node`
  set_grad_fn(part, std::move(node));
  auto formula = [base = Layout(base), at = Layout(tensor)](const Tensor& grad, Gradients& gradients) {
    const Parts parts = split_gradient(base, at, grad);
    gradients.add(0, parts.rest);
    gradients.add(1, parts.view);
  };
  set_grad_fn(base, make_node("copy_slices", nodes_of({&base, &part}), std::move(formula)));
  ++base.impl().changes;
  if (impl.grad_fn != nullptr && impl.grad_fn->retained != nullptr) follow_base(tensor);
}

void Graph::set_data(const Tensor& tensor, const Tensor& data) {
  Tensor::Impl& impl = tensor.impl();
  if (impl.storage.category() == MemoryCategory::parameter)
    data.storage().set_category(MemoryCategory::parameter);
  impl.storage = data.storage();
  impl.sizes = data.sizes();
  impl.strides = data.strides();
  impl.offset = data.storage_offset();
  impl.numel = data.numel();
  impl.dtype = data.dtype();
  impl.contiguous = data.is_contiguous();
  impl.base = nullptr;
  impl.follows_base = false;
  if (impl.accumulator != nullptr) impl.accumulator->set_layout(tensor);
}

bool Graph::is_protected(const Tensor& tensor) {
  const Tensor::Impl& impl = tensor.impl();
  const bool is_leaf = impl.requires_grad && grad_fn(tensor) == nullptr;
  const bool is_view_of_leaf = impl.base != nullptr && impl.base->grad_fn == nullptr;
  return is_leaf || is_view_of_leaf;
}

}  // namespace lectern::autograd
