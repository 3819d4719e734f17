#pragma once

#include <optional>

#include "tensor/tensor.h"

// Tensors repeated; also methods. Each element of the result is written once. (To repeat sizes of 1 without
// a copy: expand.)

namespace lectern {

/// The whole side by side so many times along each dimension; of more repeats than dimensions, the first are
/// for new ones.
Tensor repeat(const Tensor& x, const Sizes& repeats);
/// The same, where fewer repeats than dimensions are for the last ones.
Tensor tile(const Tensor& x, const Sizes& repeats);
/// The gradient of an x of these sizes, from that of repeat(x, repeats): the sum over the copies.
Tensor repeat_backward(const Tensor& grad, const Sizes& sizes, const Sizes& repeats);

/// Each element so many times in a row along `dim`; without it, of all elements in one dimension.
Tensor repeat_interleave(const Tensor& x, std::int64_t repeats, std::optional<std::int64_t> dim = {});
/// With a number of times for each position, or one for all: int64 or int32.
Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, std::optional<std::int64_t> dim = {});
/// Each position of `repeats` as many times as it says, of its dtype: what the others select. It waits for a
/// GPU, to know how many there are.
Tensor repeat_interleave(const Tensor& repeats);

}  // namespace lectern
