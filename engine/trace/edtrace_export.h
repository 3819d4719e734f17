#pragma once

#include <string>

#include "trace/edtrace_json.h"
#include "trace/trace.h"

namespace lectern {

struct EdtraceExport {
  /// No file serves the viewers of both: those of 2025 would show types as part of the values, later ones
  /// fail without them.
  EdtraceGeneration generation = EdtraceGeneration::later;
  /// What stands before the names of images and videos: where edtrace's viewer finds them.
  std::string files_url;
};

/// A trace as edtrace's JSON, for its viewer: stacks, values, renderings, hidden lines, what was printed.
/// Variables that are cleared are null, which viewers of 2025 show as a value. What edtrace has no place for
/// (statements and stacks exactly, claims, costs) stands beside as "lectern", which its viewers pass over, so
/// that importing the file gives the trace back.
std::string export_edtrace(const Trace& trace, const EdtraceExport& options);

}  // namespace lectern
