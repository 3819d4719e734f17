#pragma once

#include <cstdint>

#include "tensor/tensor.h"

// What fused operations compute in, and the small operands that they take in it.

namespace lectern {

/// float64 for float64, float32 for all other floating dtypes.
constexpr Dtype compute_dtype(Dtype dtype) {
  return dtype == float64 ? float64 : float32;
}

/// The numbers as `dtype`, contiguous, and from an address on from which 16 bytes can be read at once; an
/// undefined tensor stays one.
inline Tensor compute_numbers(const Tensor& x, Dtype dtype) {
  if (!x.defined()) return x;
  const Tensor numbers = x.to(dtype).contiguous();
  return reinterpret_cast<std::uintptr_t>(numbers.data_ptr()) % 16 == 0 ? numbers : numbers.clone();
}

}  // namespace lectern
