#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/tensor.h"

// Memory overlap between operands of in-place operations.

namespace lectern {

/// Whether an element of `a` and one of `b` share a memory location. Exact, except where strides interlock so
/// much that it would take thousands of steps: true then.
bool share_elements(const Tensor& a, const Tensor& b);

/// The order of writes: each element after those at its position were read, or any.
enum class Writes : std::uint8_t { in_order, in_any_order };

/// What may be read while `target` is written: `source`, or a copy of it where it shares elements with the
/// target, unless it is the same view and written in order. As in PyTorch, a TensorError where two different
/// views are dense; where they are not, PyTorch computes other values.
Tensor without_overlap(std::string_view operation, const Tensor& target, const Tensor& source,
                       Writes writes = Writes::in_order);

}  // namespace lectern
