#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"

// Maxima and minima; those over several dimensions are in reductions.h. NaN is larger and smaller than
// everything. The gradient goes to the indexed elements or, without indices, evenly to all extremal ones.
// O(elements); one floating-point operation each.

namespace lectern {

/// Over all elements, of x's dtype and shape []; also methods. A TensorError for an empty tensor.
Tensor max(const Tensor& x);
Tensor min(const Tensor& x);

/// auto [values, indices] = max(x, 1);
struct ValuesAndIndices {
  Tensor values;
  Tensor indices;  ///< int64
};

/// Over one dimension, with the index of the first extremal element along it. A TensorError when the
/// dimension is out of range or of size 0.
ValuesAndIndices max(const Tensor& x, std::int64_t dim, bool keepdim = false);
ValuesAndIndices min(const Tensor& x, std::int64_t dim, bool keepdim = false);

/// The index of the first of them: along `dim` or, without one, among all elements in row-major order; int64.
/// A TensorError when there are no elements, or the dimension is out of range.
Tensor argmax(const Tensor& x, std::optional<std::int64_t> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& x, std::optional<std::int64_t> dim = {}, bool keepdim = false);

}  // namespace lectern
