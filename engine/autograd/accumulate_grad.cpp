#include "autograd/accumulate_grad.h"

#include <atomic>

#include "autograd/gradient_sums.h"
#include "autograd/graph.h"
#include "base/tensor_error.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern::autograd {
namespace {

constinit std::atomic<std::size_t> post_hooks_in_use = 0;

}  // namespace

AccumulateGrad::~AccumulateGrad() {
  post_hooks_in_use -= post_hooks_.size();
}

bool AccumulateGrad::are_post_hooks_in_use() {
  return post_hooks_in_use > 0;
}

AccumulateGrad::AccumulateGrad(const Tensor& tensor) : Node("accumulate_grad", 0, {}) {
  set_layout(tensor);
}

void AccumulateGrad::set_layout(const Tensor& tensor) {
  const bool dense = is_dense(tensor.sizes(), tensor.strides());
  strides_ = dense ? tensor.strides() : contiguous_strides(tensor.sizes());
}

void AccumulateGrad::backward(const Tensor& gradient, Gradients&) {
  if (!is_open_) {
    throw TensorError(
        "backward",
        "a leaf that requires a gradient is a view of a tensor that was since modified in place by a "
        "recorded operation; clone() it, or request the gradient of that tensor");
  }
  accumulate(gradient);
  post_hooks_.for_each([](const auto& hook) { hook(); });
}

std::uint64_t AccumulateGrad::add_post_hook(std::function<void()> hook) {
  ++post_hooks_in_use;
  return post_hooks_.add(std::move(hook));
}

void AccumulateGrad::remove_post_hook(std::uint64_t id) {
  post_hooks_in_use -= post_hooks_.remove(id);
}

void AccumulateGrad::accumulate(const Tensor& gradient) {
  if (grad.defined()) {
    if (!are_alike(grad, gradient))
      throw TensorError("backward", "an assigned grad()", described(gradient), described(grad));
    add_into(grad, gradient);
    return;
  }
  if (Graph::is_unique(gradient) && gradient.strides() == strides_) {
    grad = gradient;
  } else {
    grad = copied("accumulate_grad", gradient, gradient.dtype(), gradient.device(), strides_);
  }
  grad.storage().set_category(MemoryCategory::gradient);
}

}  // namespace lectern::autograd
