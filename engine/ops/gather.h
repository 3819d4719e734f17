#pragma once

#include <optional>

#include "tensor/tensor.h"

// Gather and scatter along one dimension, with an index per element; also methods. The index is int64 with as
// many dimensions as the tensor, none larger than the tensor's except `dim`; indices are non-negative. A
// TensorError names one that is out of range before anything is written (on a GPU it comes later:
// device/index_fault.h).
//
// Of several elements scattered to one position the last wins, or, with scatter_add, all are summed in source
// order and rounded once: bitwise the same with any number of threads, and on a GPU. Indices are sorted for
// that (kernels/sort.h). Costs are those of indexing (ops/index.h); scatter() copies the tensor first.

namespace lectern {

/// result[i][j][k] = x[i][index[i][j][k]][k] for dim = 1; has the index's shape.
Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& index);
/// x with x[i][index[i][j][k]][k] = source[i][j][k] for dim = 1. The source has x's dtype and is at least as
/// large as the index in every dimension.
Tensor scatter(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);
Tensor scatter(const Tensor& x, std::int64_t dim, const Tensor& index, const Scalar& value);
/// The same with +=.
Tensor scatter_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);

/// gather() with x and the indices broadcast except along `dim`; without it both are flattened. Negative
/// indices count from the end.
Tensor take_along_dim(const Tensor& x, const Tensor& indices, std::optional<std::int64_t> dim = {});

}  // namespace lectern
