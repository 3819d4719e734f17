#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace lectern {

/// `lectern run`: runs a lecture program and records it.
struct RunOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments = {};
  std::filesystem::path output;  ///< NAME.json; what the lecture shows goes to NAME.assets beside it
  std::string lecture = {};      ///< name in the trace; the output's stem when empty
  std::string profile = "cpu";
  std::filesystem::path author_folder = {};  ///< from which messages name files; the current one when empty
  /// As many as are to run, each with a rank and a trace of its own; 0: as many as the lecture asks for.
  int processes = 0;
  double timeout = 0;                       ///< seconds until the lecture is killed; 0 for none
  std::uint64_t largest_trace = 256 << 20;  ///< bytes; a lecture whose trace outgrows them is killed
  bool record_failures = false;  ///< a lecture that fails or is killed is a success: its trace says so
  bool quiet = false;            ///< what the lecture prints goes to its trace only
};

/// Of several processes: when one has failed, the others are given so long to notice and end, then asked to
/// end, and killed two seconds later.
inline constexpr std::chrono::seconds kRankGrace{5};
/// Seconds for which a collective waits for another rank, unless the lecture says otherwise: half of the time
/// limit at most, so that the rank that hangs can be named.
inline constexpr double kRankTimeout = 60;

/// Of several processes that of the rank that failed first, or of rank 0.
struct RunOutcome {
  /// For the command to exit with: the lecture's own status when it returned or called exit; 1 when it ended
  /// by an exception, a claim, abort, a signal, the time limit or an interruption. With record_failures 0
  /// unless the run was interrupted.
  int status = 0;
  bool failed = false;  ///< it did not end by itself with status 0, whatever the command exits with
  std::string by;       ///< as in the trace's end record
  std::string reason;   ///< one line for a person; empty when main returned 0
  std::uint64_t steps = 0;
};

/// Returns when the trace is complete at its place, with the assets; until then the earlier ones stay (the
/// new trace grows in NAME.json.partial). A process of its own, the supervisor, starts the lecture: whichever
/// of the three processes is killed, a whole trace results, or the earlier one stays. Processes that the
/// lecture left running are killed with it. Signals that ask this process to end interrupt the lecture. To be
/// called from one thread at a time.
///
/// Several processes are told of each other as torchrun does, by $RANK, $LOCAL_RANK and $WORLD_SIZE, meet in
/// a temporary folder ($LECTERN_RENDEZVOUS), divide the processor's cores ($OMP_NUM_THREADS, unless it is
/// set), of which waiting threads take none ($OMP_WAIT_POLICY, likewise), and have a trace each
/// (trace/ranks.h), with a supervisor each. What ranks above 0 print begins with
/// "[rank 2] ". Traces of ranks that the run has not are removed. Throws Error when nothing could be run or
/// recorded: no such program, not a lecture, an output that cannot be written, a full disk; earlier traces
/// are untouched then.
RunOutcome run_lecture(const RunOptions& asked);

}  // namespace lectern
