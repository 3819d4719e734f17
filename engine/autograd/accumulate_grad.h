#pragma once

#include <memory>

#include "autograd/node.h"

namespace lectern::autograd {

/// What stands for a leaf in a graph: it adds the gradient that arrives to that of the leaf.
class AccumulateGrad final : public Node {
 public:
  AccumulateGrad(std::shared_ptr<Slot> slot, const Tensor& leaf);

  void backward(const Tensor& gradient, Gradients& gradients) override;

 protected:
  const Hooks* known_hooks() const override { return slot_->hooks.get(); }

 private:
  std::shared_ptr<Slot> slot_;
  Sizes sizes_, strides_;
};

}  // namespace lectern::autograd
