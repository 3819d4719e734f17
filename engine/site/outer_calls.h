#pragma once

#include <vector>

#include "trace/trace.h"

namespace lectern {

/// A statement of the outermost function of a run.
struct OuterStatement {
  TextSpan span;
  bool call = false;  ///< it calls traced code and has its lines for itself, outside of loops and branches
};

/// In the order of their lines; nothing when none of them is such a call, or when the function is of another
/// source.
std::vector<OuterStatement> outer_statements(const Trace& trace, int source);

}  // namespace lectern
