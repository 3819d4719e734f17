#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace lectern {

/// Whether the text begins as an edtrace trace does: an object with "files" or "steps", and no "format"
/// before.
bool is_edtrace(std::string_view text);

/// Reading takes at most this many bytes of memory for each byte of the text, and 64 KB, whatever the text
/// holds.
inline constexpr std::size_t kEdtraceMemory = 64;

/// Reads a trace of edtrace, of either generation (edtrace/json.h). `name` is that of the file, whose
/// stem becomes the lecture's. Throws Error naming file and line.
///
/// Frames become functions, stacks and activations as far as lines tell: a deeper stack is a new activation,
/// so is one whose caller is at another line, and a step to the line that begins a Python function. A line
/// that comes again after deeper steps is the second step of its statement. Lines that rendered something are
/// hooks. NaN and Infinity as Python writes them are taken. What our format has no place for is kept in
/// fields named "edtrace", and export writes it back.
///
/// A file that export wrote has the trace's definitions beside ("lectern"): those are taken then, and
/// everything is as it was.
Trace parse_edtrace(std::string_view text, const std::string& name);

/// Whether the trace was read from edtrace's format and not exported to it before.
bool came_from_edtrace(const Trace& trace);

}  // namespace lectern
