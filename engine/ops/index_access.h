#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/index_position.h"
#include "kernels/indexing.h"
#include "tensor/tensor.h"

// Common to the operations that gather or scatter by indices.

namespace lectern {

/// A copy with contiguous strides, of which the forms that are not in place change elements, as in PyTorch.
inline Tensor contiguous_clone(const Tensor& x) {
  return x.is_contiguous() ? x.clone() : x.contiguous();
}

/// Requires int64 or int32, which it converts to int64; a TensorError otherwise.
Tensor as_index(std::string_view operation, const Tensor& index);

/// Checks low <= index < size for a dimension of that size. On the CPU a TensorError names an index out of
/// range. On a GPU the check is asynchronous: the TensorError comes with a later operation or synchronization
/// (device/index_fault.h).
void check_inside(std::string_view operation, const Tensor& index, std::int64_t low, std::int64_t size);

/// A new tensor gathered from `x`, each element offset by its index. Both are expanded to the shape of the
/// result.
Tensor take(std::string_view operation, const Tensor& x, const Tensor& index, const kernels::IndexedDim& dim);

/// For each index, expanded and in row-major order, the offset of the element that it selects, where element
/// i without the indices is the one at i times `strides`.
class ElementOffsets {
 public:
  ElementOffsets(std::string_view operation, const Sizes& sizes, const Sizes& strides, Device device);

  /// Adds an indexed dimension.
  void add(const Tensor& index, const kernels::IndexedDim& dim);

  /// int64, contiguous, of the sizes.
  const Tensor& offsets() const { return offsets_; }

  /// For kernels that write into `target`, a part of a storage that is written at all offsets. They consume
  /// the offsets. `places` is their workspace, an int64 for each.
  kernels::Destinations destinations(const Tensor& target, const Tensor& places) const;

 private:
  std::string_view operation_;
  Tensor offsets_;
};

/// target[offsets[i] + e] = values[i][e] for the elements e of `target`, the part of its storage that is
/// written at all offsets; += with `accumulate`. `values` is reshaped to the offsets, in one dimension, and
/// the target's dimensions. The offsets are consumed. Bitwise the same with any number of threads and on a
/// GPU: of several values for one element the last wins, or all are summed in order and rounded once.
void write(std::string_view operation, const Tensor& target, const Tensor& values,
           const ElementOffsets& offsets, bool accumulate);

/// A TensorError unless both have the same dtype.
void check_same_dtype(std::string_view operation, std::string_view argument, const Tensor& target,
                      const Tensor& values);

}  // namespace lectern
