#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace lectern {

/// The strides of the result of an elementwise operation of shape `sizes` on operands with these strides
/// (expanded to `sizes`): dense, its dimensions in the operands' order. As in PyTorch.
Sizes result_strides(const Sizes& sizes, std::span<const std::int64_t* const> operands);

/// The same for one operand.
Sizes result_strides(const Tensor& operand);

/// The bytes of so many contiguous elements. A TensorError unless they are below 2^63.
std::size_t checked_nbytes(std::string_view operation, Dtype dtype, const Sizes& sizes);

/// An uninitialised tensor with a storage of exactly its size; the strides must be dense.
Tensor empty_dense(std::string_view operation, Dtype dtype, Device device, const Sizes& sizes,
                   const Sizes& strides);

/// The bytes of its elements, those repeated along strides of 0 counted once; 0 for an undefined tensor.
/// O(dimensions).
std::int64_t bytes_in_memory(const Tensor& tensor);

/// A TensorError unless a tensor with this layout fits in the storage.
void check_layout(std::string_view operation, const Storage& storage, Dtype dtype, const Sizes& sizes,
                  const Sizes& strides, std::int64_t offset);

/// A TensorError when `tensor` cannot be written to because several of its elements share a memory location
/// (it was expanded).
void check_writable(std::string_view operation, const Tensor& tensor);

/// Whether both have the same shape, dtype and device.
bool are_alike(const Tensor& a, const Tensor& b);

/// For messages: "float32 of shape [2, 3] on cpu".
std::string described(const Tensor& tensor);

}  // namespace lectern
