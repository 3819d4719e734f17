#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"

// Embeddings, one-hot encoding and counts. Costs are those of indexing (ops/index.h) and of the other
// operations they consist of.

namespace lectern {

/// The rows of `weight` at the indices, int64 or int32 of any shape; adds a last dimension. `padding_idx`,
/// from the end when negative, is a row without a gradient. An index that is negative or out of range is a
/// TensorError.
///
/// With `max_norm`, at least 0, the rows that are looked up are first renormalised in the weight itself,
/// without a record for gradients: by max_norm / (norm + 10⁻⁷) where their norm, by p = `norm_type`, is
/// larger. O(result).
Tensor embedding(const Tensor& indices, const Tensor& weight, std::optional<std::int64_t> padding_idx = {},
                 std::optional<double> max_norm = {}, double norm_type = 2);

/// The gradient of a weight of `num_weights` rows from that of the result: each row sums over its lookups, in
/// float, rounded once; bitwise the same with any number of threads, and on a GPU.
Tensor embedding_backward(const Tensor& grad, const Tensor& indices, std::int64_t num_weights,
                          std::optional<std::int64_t> padding_idx = {});

/// For each value a row of zeros with a 1 at that position: int64, with one more dimension. Without
/// `num_classes` the size is the largest value + 1. Values are int64 and non-negative; checking them
/// synchronizes with a GPU.
Tensor one_hot(const Tensor& values, std::optional<std::int64_t> num_classes = {});

/// The number of occurrences of each value from 0 to the largest, at least `minlength` entries: int64. Values
/// are non-negative integers in one dimension; checking them synchronizes with a GPU.
Tensor bincount(const Tensor& values, std::int64_t minlength = 0);
/// The same with weights summed, in float64, or float32 for float32.
Tensor bincount(const Tensor& values, const Tensor& weights, std::int64_t minlength = 0);

}  // namespace lectern
