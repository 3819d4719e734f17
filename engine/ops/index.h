#pragma once

#include <span>

#include "tensor/tensor.h"

// Indexing, as in PyTorch: x.index({…}) is x[…] there, x.index_put_({…}, values) is x[…] = values.
//
// Entries are positions, slices, `ellipsis`, `none`, and tensors. Without a tensor the result is a view. An
// int64 tensor lists positions in its dimension, negative ones from the end; several are broadcast together,
// and their shape replaces the indexed dimensions if adjacent, else comes first. A bool tensor (mask) with k
// dimensions stands for k such tensors: the positions where it is true. A 0-d int64 tensor is a position.
//
// With tensors the result is a copy: x.index({mask}) = 0 changes the copy only; index_put_ writes to x.
//
// Positions are checked before anything is read or written: a TensorError names one that is out of range (on
// a GPU it comes later: device/index_fault.h). Reading counts the bytes of the result twice and those of the
// positions; writing counts the bytes of the positions, the values and the elements written, the latter twice
// when accumulating, which also counts one floating-point operation each.

namespace lectern {

Tensor index(const Tensor& x, std::span<const Index> entries);

/// Writes `values`, broadcast to the shape of x.index(entries), or adds them with `accumulate`. They may have
/// extra leading dimensions of size 1. They have x's dtype; as in PyTorch they are converted to it if no
/// entry is a tensor, and a single element also if the one tensor is a mask. For duplicate positions the last
/// value wins, or all are summed in order and rounded once: bitwise the same with any number of threads, and
/// on a GPU.
const Tensor& index_put_(const Tensor& x, std::span<const Index> entries, const Tensor& values,
                         bool accumulate = false);

/// The elements of x where the mask is true, both broadcast, in one dimension.
Tensor masked_select(const Tensor& x, const Tensor& mask);

/// Selects the positions `index` along `dim`; it has at most one dimension and is non-negative.
Tensor index_select(const Tensor& x, std::int64_t dim, const Tensor& index);

/// x with alpha * source added at the positions `index` along `dim`; summed in order, rounded once.
Tensor index_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha = 1);

}  // namespace lectern
