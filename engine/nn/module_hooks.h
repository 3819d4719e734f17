#pragma once

#include <functional>
#include <memory>

#include "autograd/hook_list.h"
#include "tensor/tensor.h"

// Hooks of modules that map one tensor to another (nn/module.h).

namespace lectern::nn {

class Module;
using autograd::RemovableHandle;

/// Called with a module's input; its result, unless undefined, replaces the input.
using ForwardPreHook = std::function<Tensor(const Module& module, const Tensor& input)>;
/// Called with the input and the output; its result, unless undefined, replaces the output.
using ForwardHook = std::function<Tensor(const Module& module, const Tensor& input, const Tensor& output)>;
/// Called with the gradient of the input, undefined where the input has none, and that of the output, which
/// it must not change in place; its result, unless undefined, replaces the gradient of the input.
using FullBackwardHook =
    std::function<Tensor(const Module& module, const Tensor& grad_input, const Tensor& grad_output)>;

/// A module's hooks.
struct ModuleHooks {
  autograd::HookList<ForwardPreHook> before;
  autograd::HookList<ForwardHook> after;
  autograd::HookList<FullBackwardHook> backward;

  /// forward(input) with all of them around it. They keep `self` alive, but not the module: a gradient that
  /// comes after it was destroyed or moved is passed to no hook.
  static Tensor call(const std::shared_ptr<ModuleHooks>& self, const Module& module, const Tensor& input,
                     const std::function<Tensor(const Tensor&)>& forward);

  /// The module they belong to now; null after it was destroyed.
  const Module* owner = nullptr;
};

}  // namespace lectern::nn
