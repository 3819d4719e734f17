#pragma once

#include "tensor/tensor.h"

namespace lectern::optim {

/// The numbers of a tensor one after the other, in the order of `strides`, which leave no gaps
/// (tensor/layout.h has result_strides): where they are, or in a copy.
class DenseNumbers {
 public:
  DenseNumbers(const Tensor& tensor, const Sizes& strides);

  void* data() const { return dense_.data_ptr(); }
  /// After they were changed.
  void write_back() const;

 private:
  Tensor tensor_, dense_;
};

}  // namespace lectern::optim
