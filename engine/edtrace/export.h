#pragma once

#include <set>
#include <string>

#include "edtrace/json.h"
#include "trace/trace.h"

namespace lectern {

struct EdtraceExport {
  /// No file serves the viewers of both: those of 2025 would show types as part of the values, later ones
  /// fail without them.
  EdtraceGeneration generation = EdtraceGeneration::later;
  /// What stands before the names of images and videos: where edtrace's viewer finds them.
  std::string files_url;
  /// Files that are there although the trace came from edtrace, which had them elsewhere.
  std::set<std::string> moved_files = {};
};

/// A trace as edtrace's JSON, for its viewer: stacks, values, renderings, hidden lines, what was printed.
/// What its viewers would lose (edtrace/layout.h, edtrace/repeats.h) is put where they show it.
/// Variables that are cleared are null; viewers of 2025, which know no clearing, go on showing them. What
/// edtrace has no place for (statements and stacks exactly, claims, costs; for 2025 types and speaker's notes
/// too) stands beside as "lectern", which its viewers pass over, so that importing the file gives the trace
/// back. How the run ended is a last rendering.
std::string export_edtrace(const Trace& trace, const EdtraceExport& options);

}  // namespace lectern
