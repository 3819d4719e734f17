#pragma once

#include <vector>

#include "trace/trace.h"

namespace lectern {

/// Which functions and statements of two traces correspond. -1: none.
struct SiteAlignment {
  std::vector<int> new_function;  ///< of each old function
  std::vector<int> new_site;      ///< of each old site
  std::vector<int> old_site;      ///< of each new site
  /// Of each new site with an old one: whether its tokens differ. Statements that have at least half of
  /// their tokens in common, in the same place between unchanged statements, count as one that was changed.
  std::vector<bool> changed;
};

/// Matches functions by their qualified name, and those without a counterpart by their statements;
/// statements by their tokens, in the order of the source.
SiteAlignment align_sites(const Trace& old_trace, const Trace& new_trace);

}  // namespace lectern
