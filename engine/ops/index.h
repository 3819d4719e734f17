#pragma once

#include <initializer_list>
#include <span>

#include "tensor/tensor.h"

// Indexing, as in PyTorch: x.index({…}) is x[…] there, x.index_put_({…}, values) is x[…] = values.
//
// Entries are positions, slices, `ellipsis`, `none`, and tensors. Without a tensor the result is a view. A
// tensor of int64 names positions of its dimension, negative ones from the end; several are broadcast to one
// shape, which stands in the result where the dimensions were if they were neighbours, else first. A tensor
// of bool with k dimensions stands for k such tensors: the positions where it is true. A tensor of int64
// without dimensions is a position.
//
// With tensors the result is a copy: x.index({mask}) = 0 changes the copy only; index_put_ writes to x.
//
// Positions are looked at before anything is read or written: a TensorError names one that is out of range
// (on a GPU it comes later: device/index_fault.h). Reading counts the bytes of the result twice and those of
// the positions; writing counts those of the positions, of the values, and of the elements that are written,
// twice where values are accumulated, which is also one floating-point operation for each.

namespace lectern {

Tensor index(const Tensor& x, std::span<const Index> entries);

/// Writes `values`, broadcast to the shape of x.index(entries), or adds them with `accumulate`. They may have
/// more dimensions, of size 1, before those. They have x's dtype; as in PyTorch they are converted to it
/// where no entry is a tensor, and one number where one is, a mask. Where an element is named several times
/// the last value stays, or all are added up in their order and rounded once: the same with any number of
/// threads, and on a GPU.
const Tensor& index_put_(const Tensor& x, std::span<const Index> entries, const Tensor& values,
                         bool accumulate = false);

/// The gradient of an x of these sizes, from that of x.index(entries).
Tensor index_backward(const Tensor& grad, const Sizes& sizes, std::span<const Index> entries);

/// The elements of x for which the mask is true, both broadcast, in one dimension.
Tensor masked_select(const Tensor& x, const Tensor& mask);

/// The positions along `dim` that `index` names, of one dimension or none; none is negative.
Tensor index_select(const Tensor& x, std::int64_t dim, const Tensor& index);
Tensor index_select_backward(const Tensor& grad, const Sizes& sizes, std::int64_t dim, const Tensor& index);

/// x with alpha * source added at the positions along `dim` that `index` names; in their order, rounded once.
Tensor index_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha = 1);

}  // namespace lectern
