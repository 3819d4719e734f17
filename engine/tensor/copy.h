#pragma once

#include <string_view>

#include "tensor/tensor.h"

// What moves numbers from one tensor's memory to another's. The graph of gradients learns nothing of it:
// operations (ops/copy.cpp) and what lies below them are built on it. Each counts its bytes.

namespace lectern {

/// Broadcast to the target's shape, converted to its dtype, from whichever device. The target must be
/// writable, of a shape that the source's broadcasts to, and not overlap it. O(elements).
void copy_elements(const Tensor& target, const Tensor& source, bool non_blocking = false);

/// A TensorError when the dtype has no such number.
void fill_elements(const Tensor& target, const Scalar& value);

/// A new tensor with these strides, which leave no gaps.
Tensor copied(std::string_view operation, const Tensor& source, Dtype dtype, Device device,
              const Sizes& strides, bool non_blocking = false);

}  // namespace lectern
