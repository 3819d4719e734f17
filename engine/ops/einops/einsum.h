#pragma once

#include <vector>

#include "ops/einops/pattern.h"
#include "tensor/tensor.h"

namespace lectern {

/// The sum, over the axes that are not on the right side, of products of elements: "b i k, b k j -> b i j" is
/// a batch of matrix products. One list of axes for each operand; an axis that one operand names twice is its
/// diagonal; `...` are any number of dimensions; `1` is a dimension of size 1. Where an axis has size 1 in
/// one operand it is broadcast to the size that it has in others.
///
/// Operands have one dtype. They are multiplied two by two, as matrix products where something is summed, in
/// the order that costs least (einops/contraction.h), found out once for a pattern and shapes; nothing is
/// copied but what no product can read as it lies. Costs are those of the products and sums. A TensorError
/// names the axis that does not fit.
Tensor einsum(const std::vector<Tensor>& operands, einops::PatternText pattern);

inline Tensor einsum(const Tensor& a, einops::PatternText pattern) {
  return einsum(std::vector{a}, pattern);
}
inline Tensor einsum(const Tensor& a, const Tensor& b, einops::PatternText pattern) {
  return einsum(std::vector{a, b}, pattern);
}
inline Tensor einsum(const Tensor& a, const Tensor& b, const Tensor& c, einops::PatternText pattern) {
  return einsum(std::vector{a, b, c}, pattern);
}

}  // namespace lectern
