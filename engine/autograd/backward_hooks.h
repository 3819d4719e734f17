#pragma once

#include <functional>

#include "autograd/hook_list.h"
#include "tensor/tensor.h"

namespace lectern::autograd {

/// `hook` is called in each backward() when a leaf's grad() is complete, and may replace it
/// (Tensor::mutable_grad); not by grad(). It must not own the leaf, which owns it. A TensorError for a
/// tensor that requires no gradient, and for a non-leaf.
RemovableHandle register_post_accumulate_grad_hook(const Tensor& leaf, std::function<void()> hook);

/// Called by a hook: at the end of the backward() that runs now, after the callbacks queued before, unless it
/// fails. A TensorError outside of backward().
void queue_callback(std::function<void()> callback);

}  // namespace lectern::autograd
