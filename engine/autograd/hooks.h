#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace lectern::autograd {

/// Called with a tensor's complete gradient. Its result, unless undefined, replaces the gradient, which it
/// must not change in place.
using Hook = std::function<Tensor(const Tensor& gradient)>;

/// The hooks of a tensor, in registration order.
class Hooks {
 public:
  std::uint64_t add(Hook hook);
  void remove(std::uint64_t id);
  bool empty() const { return hooks_.empty(); }
  /// The gradient after all hooks. A TensorError when one changes its shape, dtype or device.
  Tensor run(Tensor gradient) const;

 private:
  std::vector<std::pair<std::uint64_t, Hook>> hooks_;
  std::uint64_t next_ = 1;
};

/// Removes a hook on request. Destroying the handle does not.
class HookHandle {
 public:
  HookHandle(std::weak_ptr<Hooks> hooks, std::uint64_t id) : hooks_(std::move(hooks)), id_(id) {}
  void remove() const {
    if (const auto hooks = hooks_.lock()) hooks->remove(id_);
  }

 private:
  std::weak_ptr<Hooks> hooks_;
  std::uint64_t id_;
};

/// A TensorError for a tensor that requires no gradient. If the tensor is later changed in place, the hook
/// sees the gradient of its old value.
HookHandle register_hook(const Tensor& tensor, Hook hook);

}  // namespace lectern::autograd
