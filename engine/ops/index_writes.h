#pragma once

#include "tensor/tensor.h"

// Copies with other elements at positions along a dimension, or where a mask is true; also methods, and in
// place. Costs are those of indexing (ops/index.h); copies copy the tensor first. The positions are int64, in
// one dimension or none, and checked as there; of several values for one position the last wins.

namespace lectern {

/// x with `value` at the positions `index` along `dim`; negative ones count from the end. A tensor value has
/// no dimensions.
Tensor index_fill(const Tensor& x, std::int64_t dim, const Tensor& index, const Scalar& value);
Tensor index_fill(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& value);

/// x with the elements of `source` at the positions `index` along `dim`, which are non-negative. The source
/// has x's dtype and its sizes but for `dim`, where it is as long as the index.
Tensor index_copy(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);

/// x with the elements of `source`, one after the other in row-major order, where the mask, of dtype bool, is
/// true; x and the mask are broadcast. The source has x's dtype, and as many elements or more. On a GPU it
/// synchronizes to learn how many.
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source);

}  // namespace lectern
