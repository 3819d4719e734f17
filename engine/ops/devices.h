#pragma once

#include <string_view>

#include "base/tensor_error.h"
#include "tensor/tensor.h"

namespace lectern {

/// A TensorError unless both tensors are on one device.
inline void check_same_device(std::string_view operation, const Tensor& a, const Tensor& b) {
  if (a.device() != b.device()) {
    throw TensorError(operation, "the devices of the tensors", "the same; move one with to()",
                      a.device().name() + " and " + b.device().name());
  }
}

}  // namespace lectern
