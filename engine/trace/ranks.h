#pragma once

#include <filesystem>
#include <vector>

#include "trace/trace.h"

// A run of several processes has a trace of each. That of rank 0 is NAME.json, and all there is to other
// commands: those of the others, NAME.rank1.json and so on, stand beside it, each with assets of its own.

namespace lectern {

inline constexpr int kMostProcesses = 64;

/// "name.rank2.json" beside "name.json"; that itself for rank 0.
std::filesystem::path rank_file(const std::filesystem::path& first, int rank);

/// Whether a file is named as the trace of a rank above 0.
bool is_of_higher_rank(const std::filesystem::path& file);

/// The traces beside one of rank 0 that are named as those of its ranks from `rank` on, in order of ranks,
/// whichever run they are of.
std::vector<std::filesystem::path> rank_files_from(const std::filesystem::path& first, int rank);

/// What a step's process did together with others; decodes no step that did nothing of the kind.
std::vector<Collective> collectives_of(const Step& step);

/// How many processes the run of a trace had.
int world_size(const Trace& trace);

/// The rank of a trace's process; 0 where it was alone.
int rank_of(const Trace& trace);

/// Of a run of several processes, given the trace of rank 0: the files of all, in order of ranks. Throws
/// Error when one is missing.
std::vector<std::filesystem::path> rank_files(const Trace& first, const std::filesystem::path& file);

}  // namespace lectern
