#pragma once

#include <cstdint>
#include <vector>

#include "trace/cost.h"
#include "trace/trace.h"

namespace lectern {

/// All activations of a function that have the same call path.
struct CallPath {
  int function = -1;  ///< -1: the program
  int caller = -1;    ///< the index of its path; -1 for the program
  int depth = 0;      ///< 0: the program
  std::int64_t calls = 0;
  Cost total = {};  ///< including what it called
};

/// What the run cost by call path: path 0 is the program. Callers come before what they call. What is called
/// deeper than `most_depth` counts as part of its caller.
std::vector<CallPath> call_tree(const Trace& trace, const CostAccount& account, int most_depth);

}  // namespace lectern
