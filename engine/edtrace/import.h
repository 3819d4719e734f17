#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace lectern {

/// Reading takes at most this many bytes of memory for each byte of the text, and 64 KB, whatever the text
/// holds.
inline constexpr std::size_t kEdtraceMemory = 128;

/// Reads a trace of edtrace, of either generation (edtrace/export.h). `name` is that of the file, whose stem
/// becomes the lecture's. Throws Error naming the file, and the line or step.
///
/// A deeper stack is a new activation, so is one that was called from elsewhere, and a step to the line that
/// begins a Python function. A line that comes again after deeper steps is the second step of its statement.
/// Lines that rendered something are hooks. What edtrace's viewers do not show is dropped.
Trace parse_edtrace(std::string_view text, const std::string& name);

/// Whether the text names edtrace's "files" or "steps" before any "format".
bool is_edtrace(std::string_view text);

/// Whether the trace was read from edtrace's format.
bool came_from_edtrace(const Trace& trace);

}  // namespace lectern
