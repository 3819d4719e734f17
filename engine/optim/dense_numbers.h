#pragma once

#include "tensor/tensor.h"

namespace lectern::optim {

/// A tensor's elements in dense memory with these `strides` (tensor/layout.h has result_strides): in place or
/// in a copy.
class DenseNumbers {
 public:
  DenseNumbers(const Tensor& tensor, const Sizes& strides);

  void* data() const { return dense_.data_ptr(); }
  /// Call it after changing them.
  void write_back() const;

 private:
  Tensor tensor_, dense_;
};

}  // namespace lectern::optim
