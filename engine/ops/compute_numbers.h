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

// Operations that are made of several would round float8 after each of them: they are computed in float32 and
// rounded once.

/// Whether these have one float8 dtype; undefined ones have any.
template <typename... More>
bool are_float8(const Tensor& x, const More&... more) {
  return is_float8(x.dtype()) && ((!more.defined() || more.dtype() == x.dtype()) && ...);
}

/// operation(each as float32), as the dtype of the first; undefined ones stay so.
template <typename Operation, typename... More>
Tensor in_float32(const Operation& operation, const Tensor& x, const More&... more) {
  return operation(x.to(float32), (more.defined() ? more.to(float32) : more)...).to(x.dtype());
}

}  // namespace lectern
