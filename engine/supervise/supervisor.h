#pragma once

#include <chrono>
#include <filesystem>

#include <sys/types.h>

#include "record/run_block.h"
#include "supervise/rank_board.h"
#include "supervise/supervise.h"
#include "supervise/trace_file.h"

namespace lectern {

/// Supervisor and `lectern run` look after their child processes, and each other, at least this often.
inline constexpr std::chrono::duration<int, std::milli> kPollInterval{100};

/// A process of a run, as its supervisor sees it.
struct Seat {
  const TraceFiles& files;
  RunBlock& block;  ///< with its rank, and how many processes there are
  int block_descriptor;
  pid_t command;                       ///< the process of `lectern run`, its parent
  RankBoard& board;                    ///< of all ranks
  std::filesystem::path meeting = {};  ///< the folder in which they meet
};

/// Runs the lecture, watches over it until it has ended, and the other ranks, and completes its trace. To be
/// called in a process of its own.
RunOutcome supervise_lecture(const RunOptions& options, const Seat& seat);

/// Completes the trace after a supervisor that was killed, and the lecture with it.
RunOutcome finish_orphaned(const RunOptions& options, const Seat& seat);

}  // namespace lectern
