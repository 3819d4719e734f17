#pragma once

#include <cstdint>
#include <string>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "tensor/tensor.h"

// Operands in the dtype that operations compute in (base/dtype.h).

namespace lectern {

/// The elements as `dtype`, contiguous and aligned for 16-byte reads; an undefined tensor stays undefined. As
/// workspace it is not counted.
inline Tensor compute_operand(const Tensor& x, Dtype dtype) {
  if (!x.defined()) return x;
  return uncounted([&] {
    const Tensor operand = x.to(dtype).contiguous();
    return reinterpret_cast<std::uintptr_t>(operand.data_ptr()) % 16 == 0 ? operand : operand.clone();
  });
}

/// A TensorError unless the dtype is floating.
inline void check_floating(std::string_view operation, Dtype dtype) {
  if (is_floating_point(dtype)) return;
  throw TensorError(operation, "the dtype", "floating", std::string(name(dtype)) + "; convert with to()");
}

// Composite operations would round float8 after each step: they are computed in float32 and rounded once.

/// Whether all share one float8 dtype; undefined tensors are ignored.
template <typename... More>
bool are_float8(const Tensor& x, const More&... more) {
  return is_float8(x.dtype()) && ((!more.defined() || more.dtype() == x.dtype()) && ...);
}

/// operation(each as float32), in the dtype of the first; undefined tensors stay undefined.
template <typename Operation, typename... More>
Tensor compute_in_float32(const Operation& operation, const Tensor& x, const More&... more) {
  return operation(x.to(float32), (more.defined() ? more.to(float32) : more)...).to(x.dtype());
}

}  // namespace lectern
