#include "site/ranks.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "base/utf8.h"
#include "site/data.h"
#include "site/number_column.h"
#include "site/rank_steps.h"
#include "site/script_call.h"
#include "trace/cost_text.h"
#include "trace/identity.h"
#include "trace/ranks.h"
#include "trace/statement_text.h"
#include "trace/step_text.h"

namespace lectern {
namespace {

using RankJson = nlohmann::json;

/// "all_reduce, 2 × broadcast · 24 B sent, 24 B received"
std::string calls_text(const std::vector<Collective>& calls) {
  std::vector<std::pair<std::string, int>> names;
  std::int64_t sent = 0, received = 0;
  for (const Collective& call : calls) {
    if (names.empty() || names.back().first != call.name) names.emplace_back(call.name, 0);
    ++names.back().second;
    sent += call.sent;
    received += call.received;
  }
  std::string text;
  for (const auto& [name, count] : names) {
    text += text.empty() ? "" : ", ";
    text += count > 1 ? fmt::format("{} \u00D7 {}", count, name) : name;
  }
  const auto moved = [](std::int64_t bytes, const char* how) {
    return bytes == 0 ? "" : show_quantity(static_cast<double>(bytes), "B") + " " + how;
  };
  const std::string out = moved(sent, "sent"), in = moved(received, "received");
  if (!out.empty() || !in.empty()) text += " \u00B7 " + out + (out.empty() || in.empty() ? "" : ", ") + in;
  return text;
}

/// By step.
RankJson calls_of(const Trace& trace) {
  RankJson calls = RankJson::object();
  for (std::size_t step = 0; step < trace.steps.size(); ++step) {
    const std::vector<Collective> collectives = collectives_of(trace.steps[step]);
    if (!collectives.empty()) calls[std::to_string(step)] = with_pictures(calls_text(collectives));
  }
  return calls;
}

/// For a card, which has room for a few lines of a statement.
std::string card_statement(const std::string& text) {
  constexpr std::size_t kMostCharacters = 120;
  const std::string_view shown = first_characters(text, kMostCharacters);
  return with_pictures(std::string(shown) + (shown.size() < text.size() ? "\u2026" : ""));
}

/// By site, of those that ran.
RankJson statements_of(const Trace& trace) {
  std::vector<bool> ran(trace.sites.size(), false);
  for (const Step& step : trace.steps) ran[index(step.site)] = true;
  RankJson texts = RankJson::array();
  for (std::size_t site = 0; site < ran.size(); ++site)
    texts.push_back(ran[site] ? card_statement(statement_text(trace, trace.sites[site])) : "");
  return texts;
}

/// Without what is shown of rank 0 only.
Trace without_text(Trace trace) {
  constexpr std::array<std::string_view, 2> kShown{"show", "claims"};
  for (Step& step : trace.steps) step.text = without_members(step.text, kShown);
  return trace;
}

RenderedSteps rendered_values(const Trace& trace) {
  const Assets none;
  MathTypesetter math;
  Renderings renderings(trace, none, math);
  return render_steps(trace, renderings);
}

using Texts = std::map<std::pair<std::string, std::string>, std::string>;  // by statement and variable

Texts final_texts(const Trace& trace, const RenderedSteps& steps) {
  const std::vector<std::string> identities = site_identities(trace);
  Texts texts;
  for (std::size_t site = 0; site < steps.sites.size(); ++site) {
    for (const auto& [name, value] : steps.sites[site].vars)
      texts[{identities[site], name}] = steps.values[static_cast<std::size_t>(value)].text;
  }
  return texts;
}

/// A row for each variable of rank 0's statements that another rank has otherwise.
std::string differences_table(const Trace& first, const RenderedSteps& steps,
                              const std::vector<Texts>& ranks) {
  constexpr std::size_t kMostRows = 100;
  const std::vector<std::string> identities = site_identities(first);
  std::string rows;
  std::size_t count = 0;
  for (std::size_t site = 0; site < steps.sites.size(); ++site) {
    for (const auto& [name, value] : steps.sites[site].vars) {
      const std::pair key(identities[site], name);
      const auto text_on = [&](const Texts& rank) {
        const auto found = rank.find(key);
        return found == rank.end() ? std::string("\u2013") : found->second;
      };
      const std::string own = text_on(ranks.front());
      const bool same = std::ranges::all_of(ranks, [&](const Texts& rank) { return text_on(rank) == own; });
      if (same || ++count > kMostRows) continue;
      rows += fmt::format("<tr><td>{}</td><th scope=\"row\">{}</th>", first.sites[site].span.line,
                          escape_html(name));
      for (const Texts& rank : ranks) rows += "<td>" + escape_html(text_on(rank)) + "</td>";
      rows += "</tr>\n";
    }
  }
  if (count == 0)
    return "<p class=\"about\">At the end all variables that are inspected are the same on all ranks.</p>\n";
  std::string head = "<th scope=\"col\">Line</th><th scope=\"col\">Variable</th>";
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    head += fmt::format("<th scope=\"col\">Rank {}</th>", rank);
  const std::string more =
      count > kMostRows ? fmt::format("<p class=\"about\">{} more.</p>\n", with_separators(count - kMostRows))
                        : "";
  return "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Variables by rank\"><table "
         "class=\"rank-table\"><thead><tr>" +
         head + "</tr></thead><tbody>\n" + rows + "</tbody></table></div>\n" + more;
}

}  // namespace

RanksOnPage ranks_on_page(const Trace& first, const RenderedSteps& steps, std::vector<Trace> others) {
  if (others.empty()) return {};
  RankJson data{{"calls", calls_of(first)}, {"ranks", RankJson::array()}};
  std::vector<Texts> texts{final_texts(first, steps)};
  for (Trace& other : others) {
    const RankSteps beside = rank_steps(first, other);
    RankJson rank{{"rank", rank_of(other)},
                  {"beside", number_column(beside.steps)},
                  {"alone", number_column(beside.alone)},
                  {"calls", calls_of(other)},
                  {"statements", statements_of(other)}};
    const Trace silent = without_text(std::exchange(other, {}));
    const RenderedSteps rendered = rendered_values(silent);
    rank["page"] = page_json(silent, rendered);
    data["ranks"].push_back(std::move(rank));
    texts.push_back(final_texts(silent, rendered));
  }
  return {script_call("lecternRanks", data),
          fmt::format("{} id=\"ranks-at-end\"><summary>What the {} ranks held</summary>\n", kRanksSection,
                      others.size() + 1) +
              differences_table(first, steps, texts) + "</details>\n"};
}

}  // namespace lectern
