#include "autograd/hooks.h"

#include "autograd/graph.h"
#include "base/tensor_error.h"
#include "tensor/layout.h"

namespace lectern::autograd {

Tensor Hooks::run(Tensor gradient) const {
  for_each([&gradient](const Hook& hook) {
    const Tensor replaced = hook(gradient);
    if (!replaced.defined()) return;
    if (!are_alike(replaced, gradient)) {
      throw TensorError(
          "register_hook", "what a hook returns",
          "of shape " + to_string(gradient.sizes()) + ", dtype and device of the gradient",
          "of shape " + to_string(replaced.sizes()) + " and " + std::string(name(replaced.dtype())));
    }
    gradient = replaced.detach();
  });
  return gradient;
}

RemovableHandle register_hook(const Tensor& tensor, Hook hook) {
  if (!tensor.requires_grad()) {
    throw TensorError("register_hook", "the tensor requires no gradient; call requires_grad_() first");
  }
  const std::shared_ptr<Hooks>& hooks = Graph::node(tensor)->hooks();
  return {hooks, [id = hooks->add(std::move(hook))](Hooks& list) { list.remove(id); }};
}

}  // namespace lectern::autograd
