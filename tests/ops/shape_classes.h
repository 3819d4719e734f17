#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/tensors.h"

// The classes of shapes that costs are checked on.

namespace lectern::test {

/// A matrix and a batch in all kinds of layouts, a single element without and with a dimension, a last
/// dimension of size 1, no rows, no columns, four dimensions, and rows longer than a block.
std::vector<Laid> shape_classes(
    Dtype dtype = float32, const Make& make = [](const Sizes& s, Dtype d) { return uniform(s, d); });

/// Two operands of shapes that broadcast.
struct LaidPair {
  std::string how;
  Tensor a, b;
};
/// Each class with its own shape, contiguous and expanded, with a row, a column and a single element, and
/// some that are both broadcast.
std::vector<LaidPair> broadcast_pairs(
    Dtype dtype = float32, const Make& make = [](const Sizes& s, Dtype d) { return uniform(s, d); });

/// Whether no element is repeated.
bool is_writable(const Tensor& tensor);

/// The same elements of a leaf, in the same layout, which requires a gradient.
Tensor leaf_like(const Tensor& tensor);

/// Calls check(tensor) for each class.
template <typename Check>
void for_each_shape(const Check& check, Dtype dtype = float32) {
  for (const Laid& laid : shape_classes(dtype)) {
    SCOPED_TRACE(laid.how);
    check(laid.tensor);
  }
}

}  // namespace lectern::test
