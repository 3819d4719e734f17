#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "trace/trace.h"

namespace lectern {

/// Reading takes at most this many bytes of memory for each byte of the text, and 64 KB, whatever the text
/// holds.
inline constexpr std::size_t kReaderMemory = 64;

/// Reads a trace. A torn tail is dropped and the trace marked incomplete. Throws Error naming file and line
/// for anything else that is not a trace, references out of range included.
Trace read_trace(const std::filesystem::path& path);
Trace parse_trace(std::string_view text, const std::string& name);

/// The text of a trace file. Throws Error when it is missing or too large; when it is missing because its run
/// did not end, the message says so.
std::string read_trace_text(const std::filesystem::path& path);

}  // namespace lectern
