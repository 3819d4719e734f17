#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

// Hooks of modules that map one tensor to another (nn/module.h).

namespace lectern::nn {

class Module;

/// Called with a module's input; its result, unless undefined, replaces the input.
using ForwardPreHook = std::function<Tensor(const Module& module, const Tensor& input)>;
/// Called with the input and the output; its result, unless undefined, replaces the output.
using ForwardHook = std::function<Tensor(const Module& module, const Tensor& input, const Tensor& output)>;
/// Called with the gradient of the input, undefined where the input has none, and that of the output, which
/// it must not change in place; its result, unless undefined, replaces the gradient of the input.
using FullBackwardHook =
    std::function<Tensor(const Module& module, const Tensor& grad_input, const Tensor& grad_output)>;

/// The hooks of one kind, in registration order.
template <typename Hook>
class HookList {
 public:
  std::uint64_t add(Hook hook) {
    hooks_.emplace_back(next_, std::move(hook));
    return next_++;
  }
  void remove(std::uint64_t id) {
    std::erase_if(hooks_, [id](const auto& hook) { return hook.first == id; });
  }
  bool empty() const { return hooks_.empty(); }
  /// value after call(hook, value) for each of those registered now, one of which may remove itself.
  template <typename Call>
  Tensor run(Tensor value, const Call& call) const {
    const auto hooks = hooks_;
    for (const auto& [id, hook] : hooks) {
      if (Tensor replaced = call(hook, value); replaced.defined()) value = std::move(replaced);
    }
    return value;
  }

 private:
  std::vector<std::pair<std::uint64_t, Hook>> hooks_;
  std::uint64_t next_ = 1;
};

/// A module's hooks.
struct ModuleHooks {
  HookList<ForwardPreHook> before;
  HookList<ForwardHook> after;
  HookList<FullBackwardHook> backward;

  /// forward(input) with all of them around it. They keep `self` alive, but not the module: a gradient that
  /// comes after it was destroyed or moved is passed to no hook.
  static Tensor call(const std::shared_ptr<ModuleHooks>& self, const Module& module, const Tensor& input,
                     const std::function<Tensor(const Tensor&)>& forward);

  /// The module they belong to now; null after it was destroyed.
  const Module* owner = nullptr;
};

/// Removes a hook on request. Destroying the handle does not.
class RemovableHandle {
 public:
  template <typename Hook>
  RemovableHandle(const std::shared_ptr<ModuleHooks>& hooks, HookList<Hook> ModuleHooks::*list,
                  std::uint64_t id)
      : remove_([weak = std::weak_ptr(hooks), list, id] {
          if (const auto shared = weak.lock()) (shared.get()->*list).remove(id);
        }) {}

  void remove() const { remove_(); }

 private:
  std::function<void()> remove_;
};

}  // namespace lectern::nn
