#pragma once

#include "ops/extremum.h"
#include "tensor/tensor.h"

// Putting elements in order along one dimension. NaN is larger than everything; -0 and 0 are equal. Equal
// elements stay in their order, `stable` or not. O(elements) on the CPU, O(elements · log(size)^2) on a GPU;
// 32 bytes of workspace for each element. Counts the bytes of x, of the values and of the indices.

namespace lectern {

/// The elements in ascending or descending order, and where along `dim` each of them stood.
ValuesAndIndices sort(const Tensor& x, std::int64_t dim = -1, bool descending = false, bool stable = false);
/// The indices alone; also a method.
Tensor argsort(const Tensor& x, std::int64_t dim = -1, bool descending = false, bool stable = false);
/// The k largest elements, the largest first, or the k smallest, the smallest first. They come in order
/// whether `sorted` or not.
ValuesAndIndices topk(const Tensor& x, std::int64_t k, std::int64_t dim = -1, bool largest = true,
                      bool sorted = true);

/// The gradient of an x of these sizes, from that of the values of sort() or topk().
Tensor sort_backward(const Tensor& grad, const Sizes& sizes, std::int64_t dim, const Tensor& indices);

}  // namespace lectern
