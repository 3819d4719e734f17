#include "site/summary.h"

#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/html.h"
#include "base/readable_numbers.h"
#include "trace/decode.h"
#include "trace/encode.h"

namespace lectern {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Heading, level, id, text)
// The front matter is as in the trace.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LectureSummary, name, title, steps, claims_held,
                                                claims_failed, words, minutes, ended, source, outline,
                                                cost_columns, for_students, profile, device, sources)

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

std::string joined(const std::vector<std::string>& facts) {
  std::string out;
  for (const std::string& fact : facts) out += (out.empty() ? "" : " \u00B7 ") + fact;
  return out;
}

}  // namespace

std::string to_json(const LectureSummary& summary) {
  nlohmann::json json(summary);
  std::string front;
  append_rendering(front, summary.front);
  json["front"] = nlohmann::json::parse(front, nullptr, false);
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

LectureSummary summary_from_json(std::string_view text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    LectureSummary summary = nlohmann::json::parse(text).get<LectureSummary>();
    if (json.contains("front")) {
      const Rendering rendering = rendering_from_json(json["front"]);
      if (const auto* const front = rendering.as<rendering::Front>()) summary.front = *front;
    }
    return summary;
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
