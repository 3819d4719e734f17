#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace lectern::distributed {

/// A view of shape [count] of a tensor that is dense in memory: its elements in the order of memory, from the
/// begin-th.
inline Tensor flat_slice(const Tensor& tensor, std::int64_t begin, std::int64_t count) {
  return tensor.alias({count}, {1}, tensor.storage_offset() + begin);
}

}  // namespace lectern::distributed
