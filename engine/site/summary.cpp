#include "site/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/readable_numbers.h"

namespace lectern {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LectureSummary, name, title, date, course, description, authors, tags,
                                   steps, claims_held, claims_failed, minutes, ended)

std::string to_json(const LectureSummary& summary) {
  return nlohmann::json(summary).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

LectureSummary summary_from_json(std::string_view text, const std::string& file) {
  try {
    return nlohmann::json::parse(text).get<LectureSummary>();
  } catch (const nlohmann::json::exception&) {
    throw Error(Place{file}, "is not a lecture's summary; delete it and render the lecture again");
  }
}

std::string claims_text(const LectureSummary& summary) {
  if (summary.claims_failed > 0) {
    return fmt::format("\u2717 {} of {} failed", with_separators(summary.claims_failed),
                       counted(summary.claims_failed + summary.claims_held, "claim", "claims"));
  }
  if (summary.claims_held == 0) return {};
  return "\u2713 " + counted(summary.claims_held, "claim verified", "claims verified");
}

std::string facts_text(const LectureSummary& summary) {
  std::string out;
  const auto add = [&out](const std::string& fact) {
    if (!fact.empty()) out += (out.empty() ? "" : " \u00B7 ") + fact;
  };
  add(show_date(summary.date));
  add(fmt::format("{}", fmt::join(summary.authors, ", ")));
  add(std::to_string(summary.minutes) + " min");
  add(counted(summary.steps, "step", "steps"));
  return out;
}

}  // namespace lectern
