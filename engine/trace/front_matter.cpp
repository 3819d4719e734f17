#include "trace/front_matter.h"

namespace lectern {

std::optional<rendering::Front> front_matter(const Trace& trace) {
  for (const Step& step : trace.steps) {
    if (step.text.find("\"front\"") == std::string::npos) continue;
    const StepDetails details = step.details();
    for (const Rendering& rendering : details.show) {
      if (const auto* const front = rendering.as<rendering::Front>()) return *front;
    }
  }
  return std::nullopt;
}

bool is_draft(const Trace& trace) {
  const auto front = front_matter(trace);
  return front && front->draft;
}

}  // namespace lectern
