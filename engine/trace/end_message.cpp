#include "trace/end_message.h"

#include "trace/json_fields.h"

namespace lectern {
namespace {

std::string of_ended(const Json& ended) {
  const std::string by = text_member(ended, "by");
  const std::string what = text_member(ended, "what");
  const std::string because = what.empty() ? "" : ": " + what;
  if (by == "exception") {
    const std::string type = text_member(ended, "type");
    return "The run ended with an exception" + (type.empty() ? "" : " of type " + type) + because;
  }
  if (by == "claim") return "The run ended here because a claim does not hold" + because;
  if (by == "exit") {
    const auto status = ended.find("status");
    return "The program called exit" +
           (status != ended.end() && status->is_number_integer() ? " with status " + status->dump()
                                                                 : std::string()) +
           because;
  }
  if (by == "abort") return "The program was aborted" + because;
  if (by == "signal") return "The program was ended by signal " + text_member(ended, "signal") + because;
  return {};
}

}  // namespace

std::string end_message(const Trace& trace) {
  if (!trace.steps.empty()) {
    const Json details = step_json(trace.steps.back());
    const auto ended = details.find("ended");
    if (ended != details.end() && ended->is_object()) {
      std::string message = of_ended(*ended);
      if (!message.empty()) return message;
    }
  }
  const std::string& by = trace.end.by;
  if (by == "return" || by.empty()) return {};
  if (by == "incomplete") return "The trace is incomplete: its recording stopped before the run ended";
  if (by == "orphaned") return "The recording stopped before the run ended";
  if (by == "killed") return "The program was killed";
  if (by == "interrupted") return "The run was interrupted";
  if (by == "signal") return "The program was ended by signal " + trace.end.signal;
  if (by == "exit" && trace.end.status == 0) return {};
  if (by == "exit")
    return "The program called exit with status " + std::to_string(trace.end.status.value_or(0));
  if (by == "exception") return "The run ended with an exception";
  if (by == "claim") return "The run ended because a claim does not hold";
  if (by == "abort") return "The program was aborted";
  return "The run ended early: " + by;
}

}  // namespace lectern
