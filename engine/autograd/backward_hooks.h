#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "tensor/tensor.h"

namespace lectern::autograd {

class AccumulateGrad;

/// Removes a hook on request. Destroying the handle does not.
class PostAccumulateGradHandle {
 public:
  PostAccumulateGradHandle(std::weak_ptr<AccumulateGrad> leaf, std::uint64_t id)
      : leaf_(std::move(leaf)), id_(id) {}
  void remove() const;

 private:
  std::weak_ptr<AccumulateGrad> leaf_;
  std::uint64_t id_;
};

/// `hook` is called in each backward() when a leaf's grad() is complete, and may replace it
/// (Tensor::mutable_grad); not by grad(). It must not own the leaf, which owns it. A TensorError for a
/// tensor that requires no gradient, and for a non-leaf.
PostAccumulateGradHandle register_post_accumulate_grad_hook(const Tensor& leaf, std::function<void()> hook);

/// Called by a hook: at the end of the backward() that runs now, after the callbacks queued before, unless it
/// fails. A TensorError outside of backward().
void queue_callback(std::function<void()> callback);

}  // namespace lectern::autograd
