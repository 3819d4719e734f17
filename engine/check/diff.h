#pragma once

#include <optional>
#include <set>

#include "check/compare_renderings.h"
#include "check/difference.h"
#include "trace/trace.h"

namespace lectern {

struct DiffOptions {
  std::optional<double> rel = {}, abs = {};  ///< instead of the tolerance of every type; @tol comes first
  ShownFiles files = {};
  std::set<DifferenceKind> ignored = {};
};

/// Compares two traces: an accepted one and a new one. Steps are aligned by their identity; times, FLOPs,
/// bytes, memory and what is declared volatile never count, nor does the profile.
Diff diff_traces(const Trace& old_trace, const Trace& new_trace, const DiffOptions& options = {});

}  // namespace lectern
