#pragma once

#include <concepts>
#include <vector>

#include "tensor/tensor.h"

// Joining and splitting tensors; splits are also methods.

namespace lectern {

/// Concatenates along `dim`; shapes must match except there, dtypes are promoted. Tensors of shape [0] are
/// skipped. A TensorError when there are no tensors, when one has no dimensions, or when shapes or devices
/// differ. Each element is copied once.
Tensor cat(const std::vector<Tensor>& tensors, std::int64_t dim = 0);
/// Concatenates along a new dimension; all shapes must match.
Tensor stack(const std::vector<Tensor>& tensors, std::int64_t dim = 0);
/// Concatenates along the second dimension, or the only one.
Tensor hstack(const std::vector<Tensor>& tensors);
/// Concatenates vertically, 1-d tensors as rows.
Tensor vstack(const std::vector<Tensor>& tensors);

/// Views of `split_size` elements along `dim`; the last may be smaller.
template <std::integral T>
std::vector<Tensor> split(const Tensor& x, T split_size, std::int64_t dim = 0) {
  return x.split(split_size, dim);
}
/// Views of these sizes, which must sum to the dimension's.
inline std::vector<Tensor> split(const Tensor& x, const std::vector<std::int64_t>& split_sizes,
                                 std::int64_t dim = 0) {
  return x.split(split_sizes, dim);
}
/// At most `chunks` views of equal size; the last may be smaller.
inline std::vector<Tensor> chunk(const Tensor& x, std::int64_t chunks, std::int64_t dim = 0) {
  return x.chunk(chunks, dim);
}
/// x[0], x[1], … along `dim`: views.
inline std::vector<Tensor> unbind(const Tensor& x, std::int64_t dim = 0) {
  return x.unbind(dim);
}

}  // namespace lectern
