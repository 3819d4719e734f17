#pragma once

#include "record/run_block.h"
#include "supervise/supervise.h"
#include "supervise/trace_file.h"

namespace lectern {

/// The process that runs the lecture. `block_descriptor` leads to the block; `front` is a pipe that ends when
/// the front process does. Leaves the outcome in the block.
void keep_lecture(const RunOptions& options, const TraceFiles& files, RunBlock& block, int block_descriptor,
                  int front);

/// For the front process when its keeper was killed, and the lecture with it.
void finish_orphaned(const TraceFiles& files, RunBlock& block);

}  // namespace lectern
