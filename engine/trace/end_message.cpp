#include "trace/end_message.h"

#include "base/error.h"
#include "trace/end_reason.h"

namespace lectern {
namespace {

/// Empty for a way to end that this version does not know.
std::string ending_message(const Ended& ended) {
  const std::string because = ended.what.empty() ? "" : ": " + ended.what;
  if (ended.by == "exception") {
    return "The run ended with an exception" + (ended.type.empty() ? "" : " of type " + ended.type) + because;
  }
  if (ended.by == "claim") return "The run ended here because a claim does not hold" + because;
  if (ended.by == "exit")
    return "The program called exit with status " + std::to_string(ended.status) + because;
  if (ended.by == "abort" && !ended.type.empty()) return ended.type + " ended the run" + because;
  if (ended.by == "abort") return "The program was aborted" + because;
  if (ended.by == "signal") return "The program was ended by signal " + ended.signal + because;
  if (ended.by == "killed") return "The program was killed" + because;
  return {};
}

/// How the run ended according to its last step, with the place.
std::optional<Ended> ended_at_last_step(const Trace& trace) {
  if (trace.steps.empty()) return {};
  std::optional<Ended> ended = trace.steps.back().details().ended;
  if (!ended || !ended->place.empty()) return ended;
  // A process that was killed could not note it.
  const Site& site = trace.sites[index(trace.steps.back().site)];
  const SourceFile& source = trace.sources[index(trace.functions[index(site.function)].source)];
  ended->place = to_string(Place{source.path, site.span.line, site.span.column});
  return ended;
}

}  // namespace

std::string end_reason(const Trace& trace) {
  const Profile profile = trace.profile.value_or(Profile());
  const int rank = profile.world_size > 1 ? profile.rank : -1;
  if (const std::optional<Ended> ended = ended_at_last_step(trace)) return end_reason(*ended, rank);
  return end_reason(
      Ended{.by = trace.end.by, .signal = trace.end.signal, .status = trace.end.status.value_or(0)}, rank);
}

std::string end_message(const Trace& trace) {
  if (const std::optional<Ended> ended = ended_at_last_step(trace)) {
    const std::string message = ending_message(*ended);
    if (!message.empty()) return ended->place + ": " + message;
  }
  const std::string& by = trace.end.by;
  if (by == "return" || by.empty() || (by == "exit" && trace.end.status == 0)) return {};
  if (by == "incomplete") return "The trace is incomplete: its recording stopped before the run ended";
  if (by == "orphaned") return "The recording stopped before the run ended";
  if (by == "killed") return "The program was killed";
  if (by == "interrupted") return "The run was interrupted";
  if (by == "claim") return "The run ended because a claim does not hold";
  const std::string message =
      ending_message({.by = by, .signal = trace.end.signal, .status = trace.end.status.value_or(0)});
  return message.empty() ? "The run ended early: " + by : message;
}

}  // namespace lectern
