#pragma once

#include <functional>

#include "autograd/hook_list.h"
#include "tensor/tensor.h"

namespace lectern::autograd {

/// Called with a tensor's complete gradient. Its result, unless undefined, replaces the gradient, which it
/// must not change in place.
using Hook = std::function<Tensor(const Tensor& gradient)>;

/// The hooks of a tensor.
class Hooks : public HookList<Hook> {
 public:
  /// The gradient after all hooks. A TensorError when one changes its shape, dtype or device.
  Tensor run(Tensor gradient) const;
};

/// A TensorError for a tensor that requires no gradient. If the tensor is later changed in place, the hook
/// sees the gradient of its old value.
RemovableHandle register_hook(const Tensor& tensor, Hook hook);

}  // namespace lectern::autograd
