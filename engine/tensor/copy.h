#pragma once

#include <string_view>

#include "tensor/tensor.h"

// Moves elements between the memory of tensors, unseen by autograd: ops/copy.cpp and lower layers are built
// on it. Each function counts its bytes.

namespace lectern {

/// Broadcasts to the target's shape and converts to its dtype, from any device. The target must be writable
/// and must not overlap the source, whose shape must broadcast to the target's. O(elements).
void copy_elements(const Tensor& target, const Tensor& source, bool non_blocking = false);

/// A TensorError when the dtype cannot represent the value.
void fill_elements(const Tensor& target, const Scalar& value);

/// A new tensor with these strides, which must be dense.
Tensor copied(std::string_view operation, const Tensor& source, Dtype dtype, Device device,
              const Sizes& strides, bool non_blocking = false);

}  // namespace lectern
