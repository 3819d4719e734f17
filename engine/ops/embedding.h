#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"

// Rows that stand for numbers, and numbers as rows. Costs are those of indexing (ops/index.h) and of what
// else they are made of.

namespace lectern {

/// The row of `weight` for each of the indices, of int64 or int32 and any shape: of one dimension more.
/// `padding_idx`, from the end when negative, names a row that gets no gradient. An index that is negative,
/// or no row's, is a TensorError.
Tensor embedding(const Tensor& indices, const Tensor& weight, std::optional<std::int64_t> padding_idx = {});

/// The gradient of a weight of `num_weights` rows, from that of the result: for each row the sum over the
/// places where it was looked up, in float, rounded once; the same with any number of threads, and on a GPU.
Tensor embedding_backward(const Tensor& grad, const Tensor& indices, std::int64_t num_weights,
                          std::optional<std::int64_t> padding_idx = {});

/// For each number a row of zeros with a 1 at that place: int64, of one dimension more. Without `num_classes`
/// as many places as the largest number needs. Numbers are of int64, none negative; they are looked at, which
/// waits for a GPU.
Tensor one_hot(const Tensor& numbers, std::optional<std::int64_t> num_classes = {});

/// How often each of the numbers from 0 to the largest one comes, of at least `minlength`: int64. Numbers are
/// integers in one dimension, none negative; they are looked at, which waits for a GPU.
Tensor bincount(const Tensor& numbers, std::int64_t minlength = 0);
/// The same with the sum of their weights, in float64, or float32 for float32.
Tensor bincount(const Tensor& numbers, const Tensor& weights, std::int64_t minlength = 0);

}  // namespace lectern
