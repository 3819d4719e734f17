#include "site/summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/readable_numbers.h"

namespace lectern {

using Json = nlohmann::ordered_json;

std::string to_json(const LectureSummary& summary) {
  const Json json = {{"name", summary.name},
                     {"title", summary.title},
                     {"date", summary.date},
                     {"course", summary.course},
                     {"description", summary.description},
                     {"authors", summary.authors},
                     {"tags", summary.tags},
                     {"steps", summary.steps},
                     {"claims_held", summary.claims_held},
                     {"claims_failed", summary.claims_failed},
                     {"minutes", summary.minutes},
                     {"ended", summary.ended}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

LectureSummary summary_from_json(std::string_view text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    LectureSummary summary;
    json.at("name").get_to(summary.name);
    json.at("title").get_to(summary.title);
    json.at("date").get_to(summary.date);
    json.at("course").get_to(summary.course);
    json.at("description").get_to(summary.description);
    json.at("authors").get_to(summary.authors);
    json.at("tags").get_to(summary.tags);
    json.at("steps").get_to(summary.steps);
    json.at("claims_held").get_to(summary.claims_held);
    json.at("claims_failed").get_to(summary.claims_failed);
    json.at("minutes").get_to(summary.minutes);
    json.at("ended").get_to(summary.ended);
    return summary;
  } catch (const Json::exception&) {
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
  for (std::string authors; const std::string& author : summary.authors) {
    authors += (authors.empty() ? "" : ", ") + author;
    if (&author == &summary.authors.back()) add(authors);
  }
  add(std::to_string(summary.minutes) + " min");
  add(counted(summary.steps, "step", "steps"));
  return out;
}

}  // namespace lectern
