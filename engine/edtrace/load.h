#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace lectern {

/// Reads a trace, Lectern's or edtrace's, told apart by what it holds. Throws Error as read_trace and
/// parse_edtrace do.
Trace load_trace(const std::filesystem::path& path);

/// parse_edtrace(text, path), with names of images and videos that end as their files' contents say: those
/// that edtrace downloaded have the names of addresses. What the trace has in itself, as exports of ours do,
/// gets a name, too.
Trace load_edtrace(std::string_view text, const std::filesystem::path& path);

/// The files that the trace at `path` shows, by their names in it. They lie in NAME.assets beside NAME.json;
/// images and videos of a trace from edtrace also where its viewer looks for them: relative to the trace's
/// folder or, as edtrace writes traces to var/traces, to one of the two above. So are images,
/// videos and PDFs that it links to; other files it does not publish. What they are is told by their content.
std::map<std::string, std::filesystem::path> shown_files(const Trace& trace,
                                                         const std::filesystem::path& path);

}  // namespace lectern
