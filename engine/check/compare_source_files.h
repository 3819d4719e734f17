#pragma once

#include <set>
#include <string>
#include <vector>

#include "check/difference.h"
#include "trace/trace.h"

namespace lectern {

/// What else differs in the traces' files than the statements: files with other comments or declarations, but
/// for those whose paths are in `reported`, and files without statements that only one of the traces has. A
/// file of another name with the same text is the same.
std::vector<Difference> compare_source_files(const Trace& old_trace, const Trace& new_trace,
                                             const std::set<std::string>& reported);

}  // namespace lectern
