#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/reductions.h"
#include "tensor/tensor.h"

// Common to operations that reduce dimensions.

namespace lectern {

/// The dimensions to reduce: all if none are named.
class ReducedDims {
 public:
  /// Negative dimensions count from the end; a TensorError when one is out of range or repeated.
  ReducedDims(std::string_view operation, const Tensor& x, const Sizes& dims);

  std::span<const bool> reduced() const { return {reduced_.data(), rank_}; }
  /// The result's sizes: without the reduced dimensions, or with size 1 in their place.
  Sizes result_sizes(const Sizes& sizes, bool keepdim) const;
  /// The number of elements reduced to one result.
  std::int64_t elements(const Sizes& sizes) const;
  /// A result with size 1 in the reduced dimensions: it broadcasts with what was reduced.
  Tensor broadcastable(const Tensor& result, const Sizes& sizes) const {
    return result.reshape(result_sizes(sizes, true));
  }

 private:
  std::array<bool, kMaxDims> reduced_{};
  std::size_t rank_;
};

/// The dtype argument of an operation, which autocast sets if there is none, by the reduction's row.
std::optional<Dtype> autocast_dtype(kernels::Reduction reduction, const Tensor& x,
                                    const std::optional<Dtype>& chosen);

/// A new contiguous tensor of dtype `result`, computed in the type of `common`. `positions`, int64 of the
/// result's shape, is filled if the reduction yields any. Counts the floating-point operations of the
/// reduction's functor for each element of `x`.
Tensor reduce(std::string_view operation, kernels::Reduction reduction, const Tensor& x,
              const ReducedDims& dims, bool keepdim, Dtype common, Dtype result, Tensor* positions = nullptr);

}  // namespace lectern
