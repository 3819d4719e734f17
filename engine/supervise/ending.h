#pragma once

#include <optional>
#include <string>

#include "record/run_block.h"

namespace lectern {

/// How a run ended, as the trace's closing record says it.
struct Ending {
  std::string by = "return";
  int status = 0;
  std::string signal = {};  ///< "SIGSEGV"
  std::string type = {};    ///< of an exception
  std::string what = {};
  std::string out = {}, err = {};       ///< what bypassed the streams
  std::optional<int> failed_rank = {};  ///< that failed before this one, which failed too

  /// Main returned 0, or exit(0) was called.
  bool well() const { return (by == "return" || by == "exit") && status == 0; }
};

/// "SIGSEGV"
std::string signal_name(int number);

/// The ending of a lecture from its wait status and what the recorder noted. `intervention` is what ended the
/// lecture from outside (`by` is killed, interrupted or orphaned), if anything did.
Ending find_ending(int wait_status, const RunBlock& block, const std::optional<Ending>& intervention);

/// One line for a person (trace/end_message.h); empty when main returned 0.
std::string end_reason(const Ending& ending, const RunBlock& block);

}  // namespace lectern
