#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/reduction_geometry.h"

namespace lectern::kernels::cpu {

/// How a reduction walks through memory.
///
/// Along runs: the elements of one result are closest together, and are reduced to one state. Across:
/// neighbours belong to different results; a row of them is absorbed by a row of states. `fold` adjacent rows
/// are folded into one, whose states are merged at the end, so that columns of a narrow matrix fill vectors
/// too.
struct ReductionPlan : ReductionGeometry {
  bool across = false;
  std::int64_t fold = 1;
  std::int64_t last_fold = 1;  ///< of the last row along reduced's first dimension
  std::int64_t elements = 0;   ///< per result
};

/// `foldable`: whether it may fold, which loses the rows' indices.
ReductionPlan plan_reduction(std::span<const std::int64_t> sizes, std::span<const bool> over, const Array& in,
                             const Array& out, const Array* positions, bool foldable);

/// A position in a walk through one array.
class Path {
 public:
  Path(const Geometry& geometry, std::size_t array, const std::byte* base, std::int64_t start)
      : geometry_(geometry), strides_(geometry.strides[array]), at_(base) {
    for (std::size_t d = 0; d < rank(); ++d) {
      index_[d] = start % geometry.sizes[d];
      start /= geometry.sizes[d];
      at_ += index_[d] * strides_[d];
    }
  }

  /// Advances `count` elements; for each run along the first dimension calls visit(its first element,
  /// elements before it in this call, its length, whether it reaches the end of the dimension).
  template <typename Visit>
  void advance(std::int64_t count, Visit visit) {
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t run = std::min(count - done, geometry_.sizes[0] - index_[0]);
      const bool ends = index_[0] + run == geometry_.sizes[0];
      visit(at_, done, run, ends);
      done += run;
      index_[0] += run;
      at_ += run * strides_[0];
      for (std::size_t d = 0; index_[d] == geometry_.sizes[d] && d + 1 < rank(); ++d) {
        at_ += strides_[d + 1] - geometry_.sizes[d] * strides_[d];
        index_[d] = 0;
        ++index_[d + 1];
      }
    }
  }

 private:
  std::size_t rank() const { return static_cast<std::size_t>(geometry_.rank); }

  const Geometry& geometry_;
  const std::array<std::int64_t, kMaxRank>& strides_;
  const std::byte* at_;
  std::array<std::int64_t, kMaxRank> index_;
};

}  // namespace lectern::kernels::cpu
