#pragma once

#include <memory>

#include "autograd/node.h"
#include "tensor/tensor.h"

namespace lectern::autograd {

/// The one place that sees and changes how a tensor stands in the graph.
///
/// A view follows the tensor that it is a view of: after that was changed in place, through whichever view,
/// the view's gradient goes to the changed tensor.
class Graph {
 public:
  /// The node to which the tensor's gradient goes; null when it requires none. A TensorError where the
  /// gradient would be lost.
  static std::shared_ptr<Node> node(const Tensor& tensor);
  /// The node that made it; null for a leaf.
  static const std::shared_ptr<Node>& grad_fn(const Tensor& tensor);
  /// Where its gradient is kept; made by the first call.
  static const std::shared_ptr<AccumulateGrad>& accumulator(const Tensor& tensor);
  static const std::shared_ptr<AccumulateGrad>& known_accumulator(const Tensor& tensor) {
    return tensor.impl().accumulator;
  }

  /// `tensor` is the result of `node`, where its gradient is kept now if retain_grad() asked for that.
  static void set_grad_fn(const Tensor& tensor, std::shared_ptr<Node> node);
  /// `view` looks at `of`, which is recorded or, inside of a NoGradGuard, not.
  static void set_base(const Tensor& view, const Tensor& of, bool recorded);
  /// `tensor` was changed in place by `node`, to which its gradient goes from now on.
  static void change(const Tensor& tensor, std::shared_ptr<Node> node);
  /// Whether it was made as a view of another tensor (detach() gives none).
  static bool is_view(const Tensor& tensor) { return tensor.impl().base != nullptr; }
  /// `tensor`, a leaf, gets the numbers of `data`.
  static void set_data(const Tensor& tensor, const Tensor& data);
  /// Whether this handle is the only one that looks at its numbers.
  static bool is_alone(const Tensor& tensor) {
    return tensor.impl_.use_count() == 1 && tensor.storage().use_count() == 1;
  }
  /// Whether it is a leaf that requires a gradient, or looks at one: what must not be changed in place.
  static bool is_guarded(const Tensor& tensor);
  /// Whether it is a view that was made while nothing was recorded: its base would not see a change.
  static bool is_unrecorded_view(const Tensor& tensor) {
    return is_view(tensor) && !tensor.impl().follows_base;
  }
  /// Whether the tensor that a view looks at requires a gradient.
  static bool base_requires_grad(const Tensor& view) { return view.impl().base->requires_grad; }

 private:
  static void follow_base(const Tensor& view);
};

}  // namespace lectern::autograd
