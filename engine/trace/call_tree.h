#pragma once

#include <cstdint>
#include <vector>

#include "trace/cost.h"
#include "trace/trace.h"

namespace lectern {

/// All activations of a function with the same functions below it on the call stack.
struct CallPath {
  int function = -1;  ///< -1: the program
  int caller = -1;    ///< the number of its path; -1 of the program
  int depth = 0;      ///< of the program 0
  std::int64_t calls = 0;
  Cost total = {};  ///< with what it called
};

/// What the run cost by call path: path 0 is the program. Callers come before what they call. What is called
/// deeper than `most_depth` counts as part of its caller.
std::vector<CallPath> call_tree(const Trace& trace, const CostAccount& account, int most_depth);

}  // namespace lectern
