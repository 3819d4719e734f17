#include "nn/module_hooks.h"

#include "autograd/grad_mode.h"
#include "autograd/hooks.h"
#include "base/tensor_error.h"
#include "nn/module.h"

namespace lectern::nn {
namespace {

/// The same elements as another node of the graph, whose gradient is a module's alone.
Tensor apart(const Tensor& x) {
  return x.view(x.sizes());
}

/// value after call(hook, value) for each hook.
template <typename Hook, typename Call>
Tensor run_all(const autograd::HookList<Hook>& hooks, Tensor value, const Call& call) {
  hooks.for_each([&](const Hook& hook) {
    if (Tensor replaced = call(hook, value); replaced.defined()) value = std::move(replaced);
  });
  return value;
}

/// Runs the hooks once both gradients are known.
Tensor run_backward(const ModuleHooks& hooks, const Tensor& grad_input, const Tensor& grad_output) {
  if (hooks.owner == nullptr) return grad_input;
  return run_all(hooks.backward, grad_input, [&](const FullBackwardHook& hook, const Tensor& grad) {
    return hook(*hooks.owner, grad, grad_output);
  });
}

}  // namespace

Tensor ModuleHooks::call(const std::shared_ptr<ModuleHooks>& self, const Module& module, const Tensor& input,
                         const std::function<Tensor(const Tensor&)>& forward) {
  Tensor in = run_all(self->before, input,
                      [&](const ForwardPreHook& hook, const Tensor& x) { return hook(module, x); });
  const bool is_backward = !self->backward.empty() && is_grad_enabled();
  const bool has_gradient = is_backward && in.requires_grad();
  if (has_gradient) in = apart(in);
  Tensor out = run_all(self->after, forward(in),
                       [&](const ForwardHook& hook, const Tensor& y) { return hook(module, in, y); });
  if (!is_backward || !out.requires_grad()) return out;
  out = apart(out);
  const auto grad_output = std::make_shared<Tensor>();
  autograd::register_hook(out, [self, grad_output, has_gradient](const Tensor& grad) {
    if (has_gradient) {
      *grad_output = grad;
    } else if (run_backward(*self, {}, grad).defined()) {
      throw TensorError("register_full_backward_hook",
                        "a hook replaced the gradient of an input that requires none");
    }
    return Tensor();
  });
  if (has_gradient) {
    autograd::register_hook(in, [self, grad_output](const Tensor& grad) {
      return run_backward(*self, grad, std::exchange(*grad_output, {}));
    });
  }
  return out;
}

}  // namespace lectern::nn
