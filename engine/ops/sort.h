#pragma once

#include "ops/extremum.h"
#include "tensor/tensor.h"

// Sorting along one dimension. NaN is larger than everything; -0 and 0 are equal. Always stable, whatever
// `stable` says. As fast as the keys are sorted (kernels/sort.h); 32 bytes of workspace per element. Counts
// the bytes of x, of the values and of the indices.

namespace lectern {

/// The elements in ascending or descending order, and their original positions along `dim`, int64; both of
/// x's shape. A TensorError for a dimension that x does not have.
ValuesAndIndices sort(const Tensor& x, std::int64_t dim = -1, bool descending = false, bool stable = false);
/// The indices alone; also a method.
Tensor argsort(const Tensor& x, std::int64_t dim = -1, bool descending = false, bool stable = false);
/// The k largest elements in descending order, or the k smallest in ascending order; sorted whatever `sorted`
/// says. Both results have k elements along `dim`: a TensorError unless k is from 0 to x's size there.
ValuesAndIndices topk(const Tensor& x, std::int64_t k, std::int64_t dim = -1, bool largest = true,
                      bool sorted = true);

/// The gradient of an x of these sizes from that of the values of sort() or topk().
Tensor sort_backward(const Tensor& grad, const Sizes& sizes, std::int64_t dim, const Tensor& indices);

}  // namespace lectern
