#pragma once

#include "tensor/creation.h"

namespace lectern::test {

/// A tensor of these elements that requires a gradient.
inline Tensor leaf(const NestedList& numbers, Dtype dtype = float32) {
  return tensor(numbers, {.dtype = dtype, .requires_grad = true});
}

}  // namespace lectern::test
