#pragma once

#include <memory>

#include "autograd/node.h"
#include "tensor/tensor.h"

namespace lectern::autograd {

/// The only access to a tensor's autograd state.
///
/// A view follows its base: after the base was changed in place, through any view, the view's gradient goes
/// to the changed tensor.
class Graph {
 public:
  /// The node that receives the tensor's gradient; null when it requires none. A TensorError where the
  /// gradient would be lost.
  static std::shared_ptr<Node> node(const Tensor& tensor);
  /// The node that made it; null for a leaf.
  static const std::shared_ptr<Node>& grad_fn(const Tensor& tensor);
  /// Stores its gradient; created on first use.
  static const std::shared_ptr<AccumulateGrad>& accumulator(const Tensor& tensor);
  static const std::shared_ptr<AccumulateGrad>& known_accumulator(const Tensor& tensor) {
    return tensor.impl().accumulator;
  }

  /// `tensor` is the result of `node`; a gradient requested by retain_grad() is stored there now.
  static void set_grad_fn(const Tensor& tensor, std::shared_ptr<Node> node);
  /// `view` is a view of `source`, recorded or, inside a NoGradGuard, not.
  static void set_base(const Tensor& view, const Tensor& source, bool recorded);
  /// `tensor` was changed in place by `node`, which receives its gradient from now on.
  static void change(const Tensor& tensor, std::shared_ptr<Node> node);
  /// Whether it was made as a view of another tensor (detach()'s result is not).
  static bool is_view(const Tensor& tensor) { return tensor.impl().base != nullptr; }
  /// `tensor`, a leaf, takes over the storage of `data`.
  static void set_data(const Tensor& tensor, const Tensor& data);
  /// Whether this handle is the only reference to the tensor and its storage.
  static bool is_unique(const Tensor& tensor) {
    return tensor.impl_.use_count() == 1 && tensor.storage().use_count() == 1;
  }
  /// Whether it is a leaf that requires a gradient, or a view of one: no in-place changes.
  static bool is_protected(const Tensor& tensor);
  /// Whether it is a view made while not recording: its base would miss a change.
  static bool is_unrecorded_view(const Tensor& tensor) {
    return is_view(tensor) && !tensor.impl().follows_base;
  }
  /// Whether the view's base requires a gradient.
  static bool base_requires_grad(const Tensor& view) { return view.impl().base->requires_grad; }

 private:
  static void follow_base(const Tensor& view);
};

}  // namespace lectern::autograd
