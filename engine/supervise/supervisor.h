#pragma once

#include <chrono>

#include <sys/types.h>

#include "record/run_block.h"
#include "supervise/supervise.h"
#include "supervise/trace_file.h"

namespace lectern {

/// Supervisor and `lectern run` look after their child processes, and each other, at least this often.
inline constexpr std::chrono::duration<int, std::milli> kPollInterval{100};

/// Runs the lecture, watches over it until it has ended, and completes its trace. To be called in a process
/// of its own. `block_descriptor` is that of the block; `command` is the process of `lectern run`, its
/// parent.
RunOutcome supervise_lecture(const RunOptions& options, const TraceFiles& files, RunBlock& block,
                             int block_descriptor, pid_t command);

/// Completes the trace after a supervisor that was killed, and the lecture with it.
RunOutcome finish_orphaned(const RunOptions& options, const TraceFiles& files, const RunBlock& block);

}  // namespace lectern
