#pragma once

#include <string>
#include <vector>

#include "check/compare_renderings.h"
#include "trace/trace.h"

namespace lectern {

/// What the profiles have differently, which does not count: "threads: 1 → 2".
std::vector<std::string> profile_notes(const Trace& old_trace, const Trace& new_trace);

/// What both traces show, but only one has a file of, so that its bytes are compared with nothing.
std::vector<std::string> uncompared_files(const Trace& old_trace, const Trace& new_trace,
                                          const ShownFiles& files);

}  // namespace lectern
