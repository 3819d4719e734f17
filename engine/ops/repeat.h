#pragma once

#include <optional>

#include "tensor/tensor.h"

// Repeated tensors; also methods. Each element of the result is written once. (To repeat sizes of 1 without a
// copy: expand.)

namespace lectern {

/// Tiles x repeats[i] times along each dimension; extra leading repeats add new dimensions.
Tensor repeat(const Tensor& x, const Sizes& repeats);
/// The same, but fewer repeats than dimensions apply to the last ones.
Tensor tile(const Tensor& x, const Sizes& repeats);

/// Repeats each element consecutively along `dim`; without it x is flattened.
Tensor repeat_interleave(const Tensor& x, std::int64_t repeats, std::optional<std::int64_t> dim = {});
/// With a repeat count for each position, or one for all: int64 or int32.
Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, std::optional<std::int64_t> dim = {});
/// Each position of `repeats` as often as it says, in its dtype: the indices that the others select. It
/// synchronizes with a GPU, to learn the total.
Tensor repeat_interleave(const Tensor& repeats);

}  // namespace lectern
