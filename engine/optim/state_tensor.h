#pragma once

#include "device/memory_category.h"
#include "tensor/tensor.h"

namespace lectern::optim {

/// Counts a new tensor's memory as an optimizer's state.
inline Tensor state_tensor(Tensor tensor) {
  tensor.storage().set_category(MemoryCategory::optimizer);
  return tensor;
}

}  // namespace lectern::optim
