#pragma once

#include <optional>

#include "tensor/tensor.h"

// Elements picked from, and sent to, positions along one dimension: an index for each element. The index is
// of int64 and has as many dimensions as the tensor, none larger than the tensor's but for `dim`; no index is
// negative. A TensorError names one that is out of range before anything is written (on a GPU it comes later:
// device/index_fault.h). Also methods.
//
// Where several elements go to one place the last one stays, or, with scatter_add, all are added up in the
// order of the source and rounded once: the same with any number of threads, and on a GPU. O(n) on the CPU
// for n indices, and O(n log(n)^2) on a GPU, which sorts them by comparing. Costs are those of indexing
// (ops/index.h); scatter() copies the tensor first.

namespace lectern {

/// result[i][j][k] = x[i][index[i][j][k]][k], for dim = 1; of the index's shape.
Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& index);
/// x with x[i][index[i][j][k]][k] = source[i][j][k], for dim = 1. The source is of x's dtype, and in no
/// dimension smaller than the index.
Tensor scatter(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);
Tensor scatter(const Tensor& x, std::int64_t dim, const Tensor& index, const Scalar& value);
/// The same with +=.
Tensor scatter_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);

/// The gradient of an x of these sizes, from that of gather(x, dim, index).
Tensor gather_backward(const Tensor& grad, const Sizes& sizes, std::int64_t dim, const Tensor& index);
/// The gradient of x, from that of scatter(x, dim, index, …): what was overwritten has none. That of the
/// source, of scatter_add's too, is gather(grad, dim, index).
Tensor scatter_backward(const Tensor& grad, std::int64_t dim, const Tensor& index);

/// gather() where x and the indices are broadcast but for `dim`; without it both are flattened. Negative
/// indices count from the end.
Tensor take_along_dim(const Tensor& x, const Tensor& indices, std::optional<std::int64_t> dim = {});

}  // namespace lectern
