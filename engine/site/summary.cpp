#include "site/summary.h"

#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/html.h"
#include "base/readable_numbers.h"
#include "trace/claim_results.h"
#include "trace/decode.h"
#include "trace/encode.h"

namespace lectern {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Heading, level, id, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MentionedTerm, name, definition, anchor, place)
// The front matter and works are as in the trace.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LectureSummary, name, title, opening, steps, claims_held,
                                                claims_failed, exercise, words, minutes, ended, source,
                                                outline, cost_columns, for_students, terms, profile, device,
                                                cover_drawn, sources)

namespace {

using Dress = std::function<std::string(const std::string&)>;

/// The parts of a line of facts; what comes from the lecture is dressed.
std::vector<std::string> facts(const LectureSummary& summary, const Dress& text, const Dress& author) {
  const rendering::Front& front = summary.front;
  std::vector<std::string> facts;
  if (front.show.date && !front.date.empty()) facts.push_back(text(show_date(front.date)));
  std::string authors;
  for (const std::string& name : front.authors) authors += (authors.empty() ? "" : ", ") + author(name);
  if (!authors.empty()) facts.push_back(authors);
  if (front.show.reading_time) facts.push_back(std::to_string(summary.minutes) + " min");
  if (front.show.word_count) facts.push_back(counted(summary.words, "word", "words"));
  facts.push_back(counted(summary.steps, "step", "steps"));
  return facts;
}

template <typename Kind>
nlohmann::json json_of(const Kind& rendering) {
  std::string text;
  append_rendering(text, rendering);
  return nlohmann::json::parse(text, nullptr, false);
}

std::string joined(const std::vector<std::string>& facts) {
  std::string out;
  for (const std::string& fact : facts) out += (out.empty() ? "" : " \u00B7 ") + fact;
  return out;
}

}  // namespace

std::string to_json(const LectureSummary& summary) {
  nlohmann::json json(summary);
  json["front"] = json_of(summary.front);
  for (const CitedWork& cited : summary.works)
    json["works"].push_back({{"work", json_of(cited.work)}, {"anchors", cited.anchors}});
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

LectureSummary summary_from_json(std::string_view text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    for (const char* const field : {"name", "title"}) json.at(field).get<std::string>();
    LectureSummary summary = nlohmann::json::parse(text).get<LectureSummary>();
    if (json.contains("front")) {
      const Rendering rendering = rendering_from_json(json["front"]);
      if (const auto* const front = rendering.as<rendering::Front>()) summary.front = *front;
    }
    for (const Json& cited : json.value("works", Json::array())) {
      const Rendering rendering = rendering_from_json(cited.at("work"));
      const auto* const work = rendering.as<rendering::Link>();
      if (work != nullptr)
        summary.works.push_back({*work, cited.at("anchors").get<std::vector<std::string>>()});
    }
    return summary;
  } catch (const nlohmann::json::exception&) {
    throw Error(Place{file},
                "is not a lecture's summary; move it out of the site, or render the lecture again");
  }
}

void count_claims(const Trace& trace, LectureSummary& summary) {
  summary.exercise = trace.end.exercise;
  if (!summary.exercise) return;
  const ClaimCount count = count_claims(claim_results(trace));
  summary.claims_held = count.held;
  summary.claims_failed = count.all - count.held;
}

std::string claims_text(const LectureSummary& summary) {
  const std::size_t all = summary.claims_failed + summary.claims_held;
  if (summary.exercise && all > 0) {
    return fmt::format("{} {} of {} claims hold", summary.claims_failed > 0 ? "\u2717" : "\u2713",
                       with_separators(summary.claims_held), with_separators(all));
  }
  if (summary.claims_failed > 0) {
    return fmt::format("\u2717 {} of {} failed", with_separators(summary.claims_failed),
                       counted(all, "claim", "claims"));
  }
  if (summary.claims_held == 0) return {};
  return "\u2713 " + counted(summary.claims_held, "claim verified", "claims verified");
}

std::string facts_text(const LectureSummary& summary) {
  const Dress plain = [](const std::string& text) { return text; };
  return joined(facts(summary, plain, plain));
}

std::string facts_html(const LectureSummary& summary) {
  const auto linked = [&](const std::string& name) {
    const std::string* const url = summary.front.author_urls.find(name);
    const std::string text = escape_html(name);
    if (url == nullptr || !safe_link(*url)) return text;
    return fmt::format("<a rel=\"author\" href=\"{}\">{}</a>", escape_html(*url), text);
  };
  return joined(facts(summary, escape_html, linked));
}

}  // namespace lectern
