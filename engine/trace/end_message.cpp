#include "trace/end_message.h"

namespace lectern {
namespace {

/// Empty for a way to end that this version does not know.
std::string message_of(const Ended& ended) {
  const std::string because = ended.what.empty() ? "" : ": " + ended.what;
  if (ended.by == "exception") {
    return "The run ended with an exception" + (ended.type.empty() ? "" : " of type " + ended.type) + because;
  }
  if (ended.by == "claim") return "The run ended here because a claim does not hold" + because;
  if (ended.by == "exit")
    return "The program called exit with status " + std::to_string(ended.status) + because;
  if (ended.by == "abort") return "The program was aborted" + because;
  if (ended.by == "signal") return "The program was ended by signal " + ended.signal + because;
  return {};
}

}  // namespace

std::string end_message(const Trace& trace) {
  if (!trace.steps.empty()) {
    const std::optional<Ended> ended = trace.steps.back().details().ended;
    const std::string message = ended ? message_of(*ended) : std::string();
    if (!message.empty()) return message;
  }
  const std::string& by = trace.end.by;
  if (by == "return" || by.empty() || (by == "exit" && trace.end.status == 0)) return {};
  if (by == "incomplete") return "The trace is incomplete: its recording stopped before the run ended";
  if (by == "orphaned") return "The recording stopped before the run ended";
  if (by == "killed") return "The program was killed";
  if (by == "interrupted") return "The run was interrupted";
  if (by == "claim") return "The run ended because a claim does not hold";
  Ended ended;
  ended.by = by;
  ended.signal = trace.end.signal;
  ended.status = trace.end.status.value_or(0);
  const std::string message = message_of(ended);
  return message.empty() ? "The run ended early: " + by : message;
}

}  // namespace lectern
