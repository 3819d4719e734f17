#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/tensor.h"

// Operands of what is changed in place that lie in the same memory.

namespace lectern {

/// Whether an element of `a` and one of `b` are the same number in memory. Exact, but where strides interlock
/// so much that it would take thousands of steps: true then.
bool share_elements(const Tensor& a, const Tensor& b);

/// In which order an operation writes: an element when those at its place were read, or any.
enum class Writes : std::uint8_t { in_order, in_any_order };

/// What may be read while `target` is written: `source`, or a copy where it shares elements with the target
/// and is not the same view, written in order. A TensorError where two views lie without gaps, as in PyTorch,
/// which computes other numbers where they do not.
Tensor apart_from(std::string_view operation, const Tensor& target, const Tensor& source,
                  Writes writes = Writes::in_order);

}  // namespace lectern
