#pragma once

#include "kernels/elementwise.h"
#include "tensor/tensor.h"

namespace lectern {

/// A tensor as kernels see it; it must outlive this.
inline kernels::Array array_of(const Tensor& tensor) {
  return {tensor.data_ptr(), tensor.dtype(), tensor.strides().begin()};
}
/// The same with other strides, which must outlive it too.
inline kernels::Array array_of(const Tensor& tensor, const Sizes& strides) {
  return {tensor.data_ptr(), tensor.dtype(), strides.begin()};
}

}  // namespace lectern
