#pragma once

#include <cstdint>
#include <functional>

#include "autograd/hook_list.h"
#include "autograd/node.h"

namespace lectern::autograd {

/// Accumulates a tensor's gradient. For a leaf it is the tensor's node in graphs and adds incoming gradients
/// to the existing one; for a non-leaf it only stores the gradient (Node::retained).
class AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(const Tensor& tensor);

  /// A TensorError when the user assigned a gradient that does not fit.
  void backward(const Tensor& gradient, Gradients& gradients) override;
  /// The tensor is no longer a leaf: a gradient that still arrives is a TensorError.
  void close() { is_open_ = false; }
  /// From now on gradients have the layout of this tensor.
  void set_layout(const Tensor& tensor);

  ~AccumulateGrad() override;
  AccumulateGrad(const AccumulateGrad&) = delete;
  AccumulateGrad& operator=(const AccumulateGrad&) = delete;

  /// Called whenever a gradient was added (autograd/backward_hooks.h).
  std::uint64_t add_post_hook(std::function<void()> hook);
  void remove_post_hook(std::uint64_t id);
  bool has_post_hooks() const { return !post_hooks_.empty(); }
  /// Whether any leaf has post hooks.
  static bool are_post_hooks_in_use();

  Tensor grad = {};  ///< undefined: none yet

 private:
  void accumulate(const Tensor& gradient);

  Sizes strides_;  ///< of the gradient
  bool is_open_ = true;
  HookList<std::function<void()>> post_hooks_;
};

}  // namespace lectern::autograd
