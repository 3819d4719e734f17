#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"

// The largest and the smallest element. NaN is larger than all and smaller than all. O(elements); one
// floating-point operation for each.

namespace lectern {

/// Of all elements, of x's dtype and shape []; also methods. A TensorError when there are none.
Tensor max(const Tensor& x);
Tensor min(const Tensor& x);

/// Over `dims`, all where there are none; they vanish, or, with `keepdim`, have size 1. A TensorError when a
/// dimension is out of range, named twice, or of size 0.
Tensor amax(const Tensor& x, const Sizes& dims = {}, bool keepdim = false);
Tensor amin(const Tensor& x, const Sizes& dims = {}, bool keepdim = false);

/// auto [values, indices] = max(x, 1);
struct ValuesAndIndices {
  Tensor values;
  Tensor indices;  ///< int64
};

/// Over one dimension, and where along it the first of the extremal elements stands. A TensorError when the
/// dimension is out of range or of size 0.
ValuesAndIndices max(const Tensor& x, std::int64_t dim, bool keepdim = false);
ValuesAndIndices min(const Tensor& x, std::int64_t dim, bool keepdim = false);

/// Where the first of them stands: along `dim`, or, without one, among all elements in row-major order;
/// int64. A TensorError when there are none, or the dimension is out of range.
Tensor argmax(const Tensor& x, std::optional<std::int64_t> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& x, std::optional<std::int64_t> dim = {}, bool keepdim = false);

/// The gradient of x from that of `result` = amax(x, dims) or amin(x, dims): it goes to the extremal
/// elements, in equal shares. Where the result is NaN no element equals it, and as in PyTorch all its
/// gradients are NaN.
Tensor extremum_backward(const Tensor& grad, const Tensor& x, const Tensor& result, const Sizes& dims = {});
/// The same of `result` = max(x) or min(x), where it goes to the elements that are NaN, if there are any.
Tensor evenly_distribute_backward(const Tensor& grad, const Tensor& x, const Tensor& result);

}  // namespace lectern
