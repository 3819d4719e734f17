#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// What became of a claim in a run that failed claims did not end, an exercise's.
struct ClaimResult {
  enum class State { held, failed, not_reached };

  int source = 0, line = 1;
  std::string text;      ///< "sum == 14"; of a statement that is no claim, the whole: "check_shape();"
  std::string why = {};  ///< of one that failed: its values, or what it threw
  State state = State::not_reached;
  bool is_claim = true;  ///< otherwise a statement of main that ended with an exception

  bool operator==(const ClaimResult&) const = default;
};

/// The claims of a lecture in the order of its sources, and its statements that threw. A claim that is made
/// several times holds if it held each time. One in a function that was stepped over is among those of the
/// statement that led there.
std::vector<ClaimResult> claim_results(const Trace& trace);

struct ClaimCount {
  std::size_t held = 0, all = 0;
};
ClaimCount count_claims(const std::vector<ClaimResult>& results);

/// For a person: "2 of 5 claims hold", then a line for each result with its place; `folder` begins the names
/// of files. Nothing in it acts on a terminal.
std::string claim_report(const Trace& trace, const std::vector<ClaimResult>& results,
                         const std::string& folder);

}  // namespace lectern
