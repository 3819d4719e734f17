#pragma once

#include <vector>

#include "ops/einops/pattern.h"
#include "tensor/tensor.h"

namespace lectern {

/// The sum, over the axes missing on the right side, of products of elements: "b i k, b k j -> b i j" is a
/// batched matrix product. One list of axes per operand; a repeated axis is the operand's diagonal; `...` is
/// any number of dimensions; `1` is a dimension of size 1. An axis of size 1 in one operand is broadcast to
/// its size in others.
///
/// Operands have the same dtype. They are multiplied pairwise, as matrix products where something is summed,
/// in the cheapest order (einops/contraction.h), cached per pattern and shapes; only what a product cannot
/// read in place is copied. Costs are those of the products and sums. A TensorError names the axis that does
/// not fit.
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
