#pragma once

#include <cstdint>
#include <vector>

#include "compile/plan.h"

namespace lectern::fusion {

/// Expressions that one pass computes. All are of `full` elements, or of one per row of `columns` of them: a
/// reduction of each row, and what is computed from it; or per column: a reduction that ends there. A pass
/// begins when those are done whose elements it reads from memory; within a pass each element is read at its
/// own position, or repeated along its row. So what reads elements of another expression in another order,
/// and reductions of other dimensions, are in later passes; so is what reads the result of a reduction of
/// rows longer than the cache holds (kernels::kFusedRow).
struct Group {
  int stage = 0;  ///< later than all groups that it reads
  std::int64_t full = 0;
  std::int64_t columns = 0;                 ///< 0: none are per row yet
  bool is_alone = false;                    ///< a reduction for which there is no program
  std::vector<int> members;                 ///< positions in the cone, ascending
  std::vector<kernels::FusedShape> shapes;  ///< theirs
};

/// By stage.
std::vector<Group> make_groups(const Cone& cone);

}  // namespace lectern::fusion
