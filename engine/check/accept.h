#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "check/diff.h"

namespace lectern {

/// Whether a trace is complete and its run was not ended from outside.
bool ended_by_itself(const Trace& trace);

/// A trace as it is accepted: without times and other costs, which differ from run to run. Throws Error when
/// the trace is incomplete or its run was ended from outside.
Trace accepted(Trace trace);

/// The accepted trace with some items of diff_traces(old_trace, new_trace) taken over, by their ids; the
/// others still differ afterwards. What statements there are and in which order they run comes as a whole: an
/// item of control flow, of the source, or of a statement that is missing or added brings all of these.
/// Throws Error when there is no such item.
Trace accept_items(const Trace& old_trace, const Trace& new_trace, const DiffOptions& options,
                   const std::set<std::string>& ids);

/// Makes a trace the accepted one at `path`, with the files that the lecture showed, by their names, in
/// NAME.assets beside it, but without modules of calculators. The trace is replaced atomically, after the new
/// files are there and before the old ones go.
void write_accepted(const Trace& trace, std::map<std::string, std::filesystem::path> files,
                    const std::filesystem::path& path);

/// Removes an accepted trace and its assets.
void remove_accepted(const std::filesystem::path& path);

}  // namespace lectern
