#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/index_position.h"
#include "tensor/tensor.h"

// What the operations have in common that read or write where indices point.

namespace lectern {

/// A TensorError unless it is of int64, or of int32, from which it is converted.
Tensor as_index(std::string_view operation, const Tensor& index);

/// That every index lies between `low` and `size` - 1, of a dimension of that size. On the CPU a TensorError
/// names one that does not. On a GPU nobody waits for the answer: the TensorError comes with a later
/// operation or when the GPU is waited for (device/index_fault.h).
void check_inside(std::string_view operation, const Tensor& index, std::int64_t low, std::int64_t size);

/// A new tensor: the elements of `x`, each as many further on as its index says. Both are expanded to the
/// shape of the result.
Tensor take(std::string_view operation, const Tensor& x, const Tensor& index, const kernels::IndexedDim& dim);

/// For each index, expanded and in row-major order, the element of a tensor that it leads to, where element i
/// without the indices is the one at i times `strides`.
class ElementOffsets {
 public:
  ElementOffsets(std::string_view operation, const Sizes& sizes, const Sizes& strides, Device device);

  /// One more dimension in which an index leads further.
  void add(const Tensor& index, const kernels::IndexedDim& dim);

  /// Of the sizes; int64 and contiguous.
  const Tensor& offsets() const { return offsets_; }

 private:
  std::string_view operation_;
  Tensor offsets_;
};

/// target[offsets[i] + e] = values[i][e] for the elements e of `target`, which is a part of its storage that
/// is written at all offsets; or, with `accumulate`, += instead. `values` has one dimension more than the
/// target, the first. The offsets are used up. The same is written with any number of threads and on a GPU:
/// of several values for one element the last, or all added up in their order and rounded once.
void write(std::string_view operation, const Tensor& target, const Tensor& values,
           const ElementOffsets& offsets, bool accumulate);

/// A TensorError unless both have one dtype.
void check_same_dtype(std::string_view operation, std::string_view argument, const Tensor& target,
                      const Tensor& values);

}  // namespace lectern
