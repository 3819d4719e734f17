#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tensor/tensor.h"

namespace lectern {

/// The strides of a new tensor of shape `sizes` that is computed element by element from operands with these
/// strides (expanded to `sizes`): without gaps, its dimensions in the order of the operands'. As in PyTorch.
Sizes result_strides(const Sizes& sizes, std::span<const std::int64_t* const> operands);

/// The same of one operand: a tensor.
Sizes result_strides(const Tensor& operand);

/// An uninitialised tensor with a storage of just its size; the strides leave no gaps.
Tensor empty_dense(std::string_view operation, Dtype dtype, Device device, const Sizes& sizes,
                   const Sizes& strides);

/// The bytes of its elements, of which those that it repeats (along strides of 0) count once; 0 of an
/// undefined tensor. O(dimensions).
std::int64_t bytes_in_memory(const Tensor& tensor);

/// A TensorError unless a tensor with this layout lies inside the storage.
void check_layout(std::string_view operation, const Storage& storage, Dtype dtype, const Sizes& sizes,
                  const Sizes& strides, std::int64_t offset);

/// A TensorError when `tensor` cannot be written to because several of its elements are one number in memory
/// (it was expanded).
void check_writable(std::string_view operation, const Tensor& tensor);

}  // namespace lectern
