#pragma once

#include <optional>

#include "supervise/supervise.h"

namespace lectern {

/// Runs a lecture's processes, each under a supervisor of its own, until all have ended and their traces are
/// complete. Nothing, and `options.processes` says how many, if the lecture asks for several and nobody did.
std::optional<RunOutcome> run_ranks(RunOptions& options);

}  // namespace lectern
