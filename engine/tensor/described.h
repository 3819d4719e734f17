#pragma once

#include <string>

#include "tensor/tensor.h"

namespace lectern {

/// For messages: "float32 of shape [2, 3] on cpu".
inline std::string described(const Tensor& x) {
  return std::string(name(x.dtype())) + " of shape " + to_string(x.sizes()) + " on " + x.device().name();
}

}  // namespace lectern
