#pragma once

#include <string_view>

#include "base/tensor_error.h"
#include "tensor/tensor.h"

namespace lectern {

/// A TensorError when `tensor` is not where the operation can compute.
inline void check_on_cpu(std::string_view operation, const Tensor& tensor) {
  if (tensor.is_cuda()) throw TensorError(operation, "the device", "cpu", tensor.device().name());
}

}  // namespace lectern
