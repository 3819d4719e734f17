#pragma once

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

}  // namespace lectern::kernels::cpu
