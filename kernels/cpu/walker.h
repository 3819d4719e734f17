#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/geometry.h"

namespace lectern::kernels::cpu {

/// A position in a walk through one array of a geometry, advancing run by run along the innermost dimension.
class Walker {
 public:
  /// From the element of index `start` on, in walk order.
  Walker(const Geometry& geometry, std::size_t array, void* data, std::int64_t start = 0)
      : sizes_(geometry.sizes.data()),
        strides_(geometry.strides[array].data()),
        rank_(static_cast<std::size_t>(geometry.rank)),
        at_(static_cast<std::byte*>(data)) {
    for (std::size_t d = 0; d < rank_ && start > 0; ++d) {
      index_[d] = start % sizes_[d];
      start /= sizes_[d];
      at_ += index_[d] * strides_[d];
    }
  }

  /// Advances `count` elements; for each run calls visit(its first element, stride in bytes, elements before
  /// it in this call, its length).
  template <typename Visit>
  void advance(std::int64_t count, Visit visit) {
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t run = std::min(count - done, sizes_[0] - index_[0]);
      visit(at_, strides_[0], done, run);
      done += run;
      index_[0] += run;
      at_ += run * strides_[0];
      for (std::size_t d = 0; index_[d] == sizes_[d] && d + 1 < rank_; ++d) {
        at_ += strides_[d + 1] - sizes_[d] * strides_[d];
        index_[d] = 0;
        ++index_[d + 1];
      }
    }
  }

 private:
  const std::int64_t* sizes_;
  const std::int64_t* strides_;
  std::size_t rank_;
  std::byte* at_;
  std::array<std::int64_t, kMaxRank> index_{};
};

/// The `i`-th element of a run, of type T.
template <typename T>
T& element(std::byte* first, std::int64_t stride, std::int64_t i) {
  return *reinterpret_cast<T*>(first + i * stride);
}

}  // namespace lectern::kernels::cpu
