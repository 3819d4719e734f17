#pragma once

#include <filesystem>
#include <vector>

#include "check/diff.h"
#include "check/report.h"

namespace lectern::cli {

/// Compares two runs, given the traces of rank 0: those of several processes rank by rank, with a report for
/// each. With `as_accepted`, the new traces as they would be accepted. Throws Error when a trace cannot be
/// read; that of a rank that is not there is a failure in its report.
std::vector<LectureReport> compare_runs(const std::filesystem::path& old_trace,
                                        const std::filesystem::path& new_trace, const DiffOptions& options,
                                        bool as_accepted);

}  // namespace lectern::cli
