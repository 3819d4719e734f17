#pragma once

#include <filesystem>
#include <string_view>

#include "trace/trace.h"

namespace lectern {

/// Reads a trace. A torn tail is dropped and the trace marked incomplete. Throws Error naming file and line
/// for anything else that is not a trace, references out of range included.
Trace read_trace(const std::filesystem::path& path);
Trace parse_trace(std::string_view text, const std::string& name);

}  // namespace lectern
