#include "trace/claim_results.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/characters.h"
#include "base/error.h"
#include "base/terminal.h"
#include "trace/statement_text.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

using State = ClaimResult::State;

/// "assert(sum == 14);" → "sum == 14"
std::string claimed(std::string text) {
  constexpr std::string_view kBegin = "assert(", kEnd = ")";
  if (text.ends_with(';')) text.pop_back();
  if (text.starts_with(kBegin) && text.ends_with(kEnd))
    text = trim(std::string_view(text).substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size()));
  return text;
}

std::string failure(const Claim& claim) {
  if (!claim.threw.empty()) return "threw " + claim.threw;
  if (!claim.left || !claim.right) return {};
  return "left " + value_text(*claim.left) + ", right " + value_text(*claim.right);
}

class ClaimCollector {
 public:
  explicit ClaimCollector(const Trace& trace) : trace_(trace) {}

  std::vector<ClaimResult> run() && {
    for (const Step& step : trace_.steps) {
      if (step.text.empty()) continue;
      const StepDetails details = step.details();
      for (const Claim& claim : details.claims) add(step.site, claim);
    }
    for (std::size_t i = 0; i < trace_.sites.size(); ++i) {
      const Site& site = trace_.sites[i];
      if (site.kind == SiteKind::claim && !trace_.functions[index(site.function)].ran_unrecorded)
        results_.try_emplace({static_cast<int>(i), ""}, result_at(static_cast<int>(i)));
    }
    std::vector<ClaimResult> sorted;
    for (auto& [key, result] : results_) sorted.push_back(std::move(result));
    std::ranges::stable_sort(sorted, {},
                             [](const ClaimResult& each) { return std::pair(each.source, each.line); });
    return sorted;
  }

 private:
  ClaimResult result_at(int number) const {
    const Site& site = trace_.sites[index(number)];
    const int source = trace_.functions[index(site.function)].source;
    std::string text = statement_text(trace_, site);
    return {.source = source,
            .line = site.span.line,
            .text = site.kind == SiteKind::claim ? claimed(std::move(text)) : std::move(text)};
  }

  void add(int number, const Claim& claim) {
    const bool own = trace_.sites[index(number)].kind == SiteKind::claim;
    const auto [entry, fresh] = results_.try_emplace(
        {number, own ? "" : claim.text + (claim.threw.empty() ? "" : "threw")}, result_at(number));
    ClaimResult& result = entry->second;
    if (fresh && !own) {
      result.is_claim = claim.threw.empty();
      if (!claim.text.empty()) result.text = claimed(claim.text);
    }
    if (result.state == State::failed) return;
    result.state = claim.ok ? State::held : State::failed;
    if (!claim.ok) result.why = failure(claim);
  }

  const Trace& trace_;
  std::map<std::pair<int, std::string>, ClaimResult> results_;
};

}  // namespace

std::vector<ClaimResult> claim_results(const Trace& trace) {
  return ClaimCollector(trace).run();
}

ClaimCount count_claims(const std::vector<ClaimResult>& results) {
  ClaimCount count;
  for (const ClaimResult& result : results) {
    count.all += result.is_claim ? 1 : 0;
    count.held += result.is_claim && result.state == State::held ? 1 : 0;
  }
  return count;
}

std::string claim_report(const Trace& trace, const std::vector<ClaimResult>& results,
                         const std::string& folder) {
  const ClaimCount count = count_claims(results);
  std::string report = fmt::format("{} of {} claims hold\n", count.held, count.all);
  for (const ClaimResult& result : results) {
    const Place place{folder + trace.sources[index(result.source)].path, result.line};
    const char* const mark = result.state == State::held     ? "\u2713"
                             : result.state == State::failed ? "\u2717"
                                                             : "\u2013";
    const std::string why = result.state == State::not_reached ? "not reached" : result.why;
    report += fmt::format("  {} {}\n", mark,
                          one_line(fmt::format("{}  {}{}", to_string(place), result.text,
                                               why.empty() ? "" : "  (" + why + ")")));
  }
  return report;
}

}  // namespace lectern
