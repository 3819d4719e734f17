#include "trace/end_reason.h"

#include <string_view>

namespace lectern {
namespace {

/// Lectern's own errors say what is wrong.
bool is_own(std::string_view type) {
  return type.starts_with("lectern::") && type.ends_with("Error");
}

std::string without_place(const Ended& ended) {
  if (ended.by == "exit") return "the lecture called exit(" + std::to_string(ended.status) + ")";
  if (ended.by == "return" && ended.status == 0) return {};
  std::string reason = ended.signal;
  if (ended.by == "claim") reason = "claim failed";
  if (ended.by == "exception" && !is_own(ended.type)) reason = "uncaught exception";
  for (const std::string* part : {&ended.type, &ended.what}) {
    if (!part->empty() && !is_own(*part)) reason += (reason.empty() ? "" : ": ") + *part;
  }
  if (!reason.empty()) return reason;
  return ended.by == "return" ? "exit status " + std::to_string(ended.status) : ended.by;
}

}  // namespace

std::string end_reason(const Ended& ended, int rank) {
  std::string reason = without_place(ended);
  const bool from_outside = ended.by == "interrupted" || ended.by == "orphaned";  // all ranks alike
  if (rank >= 0 && !reason.empty() && !from_outside) reason.insert(0, "rank " + std::to_string(rank) + ": ");
  return reason.empty() || ended.place.empty() ? reason : ended.place + ": " + reason;
}

}  // namespace lectern
