#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"

namespace lectern {

/// What unique() returns; undefined where it was not asked for.
struct UniqueElements {
  Tensor values;           ///< in ascending order, [count]
  Tensor inverse_indices;  ///< the place of each element of x among the values; int64, of x's shape
  Tensor counts;           ///< how many elements have each value; int64, [count]
};

/// The distinct elements; also a method. Sorted whatever `sorted` says. Each NaN is another
/// value, -0 and 0 are one. By sorting all elements: costs are those of the operations. No gradient. On a GPU
/// it synchronizes to learn the count.
///
/// With a `dim`, the distinct slices along it, in lexicographic order of their elements: values have x's
/// shape but for that dimension, and there is a place and a count for each slice. By sorting once by each
/// element of a slice, the last one first. A TensorError where another dimension has size 0.
UniqueElements unique(const Tensor& x, bool sorted = true, bool return_inverse = false,
                      bool return_counts = false, std::optional<std::int64_t> dim = {});

}  // namespace lectern
