#include "autograd/hooks.h"

#include "autograd/graph.h"
#include "base/tensor_error.h"
#include "tensor/layout.h"

namespace lectern::autograd {

std::uint64_t Hooks::add(Hook hook) {
  hooks_.emplace_back(next_, std::move(hook));
  return next_++;
}

void Hooks::remove(std::uint64_t id) {
  std::erase_if(hooks_, [id](const auto& hook) { return hook.first == id; });
}

Tensor Hooks::run(Tensor gradient) const {
  const auto hooks = hooks_;  // one may remove itself
  for (const auto& [id, hook] : hooks) {
    const Tensor replaced = hook(gradient);
    if (!replaced.defined()) continue;
    if (!are_alike(replaced, gradient)) {
      throw TensorError(
          "register_hook", "what a hook returns",
          "of shape " + to_string(gradient.sizes()) + ", dtype and device of the gradient",
          "of shape " + to_string(replaced.sizes()) + " and " + std::string(name(replaced.dtype())));
    }
    gradient = replaced.detach();
  }
  return gradient;
}

HookHandle register_hook(const Tensor& tensor, Hook hook) {
  if (!tensor.requires_grad()) {
    throw TensorError("register_hook", "the tensor requires no gradient; call requires_grad_() first");
  }
  const std::shared_ptr<Hooks>& hooks = Graph::node(tensor)->hooks();
  return {hooks, hooks->add(std::move(hook))};
}

}  // namespace lectern::autograd
