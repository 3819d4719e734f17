#pragma once

#include "tensor/tensor.h"

namespace lectern::autograd {

/// A tensor that an operation keeps for its gradient, as it is now: get() notices when its numbers were
/// changed in place since. It keeps the memory alive, but no graph, so that no cycle can arise.
class Saved {
 public:
  Saved() = default;
  /// Nothing is kept of an undefined tensor, or when it will not be needed.
  explicit Saved(const Tensor& tensor, bool needed = true);

  /// Undefined when nothing was kept. A TensorError of the operation whose gradient is being computed, when
  /// the tensor was changed.
  Tensor get() const;

 private:
  Storage storage_;
  Sizes sizes_, strides_;
  std::int64_t offset_ = 0;
  Dtype dtype_ = float32;
  std::uint64_t version_ = 0;
};

}  // namespace lectern::autograd
