#pragma once

#include "record/run_block.h"
#include "supervise/supervise.h"
#include "supervise/trace_file.h"

namespace lectern {

/// Runs the lecture, watches over it until it has ended, and completes its trace. To be called in a process
/// of its own. `block_descriptor` is that of the block; `command` hangs up when `lectern run` is gone.
RunOutcome supervise_lecture(const RunOptions& options, const TraceFiles& files, RunBlock& block,
                             int block_descriptor, int command);

/// Completes the trace after a supervisor that was killed, and the lecture with it.
RunOutcome finish_orphaned(const RunOptions& options, const TraceFiles& files, const RunBlock& block);

}  // namespace lectern
