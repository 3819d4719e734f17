#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kernels/reductions.h"
#include "tensor/tensor.h"

// What the operations that reduce dimensions share.

namespace lectern {

/// The dimensions that an operation reduces: all where none are named.
class ReducedDims {
 public:
  /// Counted from the end when negative; a TensorError when one is out of range or named twice.
  ReducedDims(std::string_view operation, const Tensor& x, const Sizes& dims);

  std::span<const bool> over() const { return {over_.data(), rank_}; }
  /// Of the result: without the reduced dimensions, or with size 1 in their place.
  Sizes result_sizes(const Sizes& sizes, bool keepdim) const;
  /// How many elements make one result.
  std::int64_t elements(const Sizes& sizes) const;
  /// A result, with size 1 in the place of the reduced dimensions: it broadcasts with what was reduced.
  Tensor broadcastable(const Tensor& result, const Sizes& sizes) const {
    return result.reshape(result_sizes(sizes, true));
  }

 private:
  std::array<bool, kMaxDims> over_{};
  std::size_t rank_;
};

/// A new contiguous tensor of dtype `result`; computed in the type of `common`. `positions`, of the result's
/// shape and int64, is filled where the reduction gives any. Counts the floating-point operations of
/// the reduction's functor for each element of `x`.
Tensor reduce(std::string_view operation, kernels::Reduction reduction, const Tensor& x,
              const ReducedDims& dims, bool keepdim, Dtype common, Dtype result, Tensor* positions = nullptr);

}  // namespace lectern
