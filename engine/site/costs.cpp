#include "site/costs.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/characters.h"
#include "base/html.h"
#include "base/utf8.h"
#include "site/cost_parts.h"
#include "site/script_call.h"
#include "trace/cost_text.h"

namespace lectern {

std::vector<LineCost> line_costs(const Trace& trace, const CostAccount& account) {
  std::map<std::pair<int, int>, LineCost> lines;
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const Site& site = trace.sites[i];
    const CostEntry& cost = account.sites[i];
    if (cost.runs == 0) continue;
    const int source = trace.functions[index(site.function)].source;
    LineCost& line = lines
                         .try_emplace(std::pair(source, site.span.line),
                                      LineCost{source, site.span.line, static_cast<int>(i)})
                         .first->second;
    line.cost.runs = std::max(line.cost.runs, cost.runs);
    line.cost.self += cost.self;
    line.cost.total += account.line_totals[i];
    if (line.cost.peak.size() < cost.peak.size()) line.cost.peak.resize(cost.peak.size());
    for (std::size_t device = 0; device < cost.peak.size(); ++device)
      line.cost.peak[device] = std::max(line.cost.peak[device], cost.peak[device]);
  }
  std::vector<LineCost> list;
  list.reserve(lines.size());
  for (auto& [place, line] : lines) list.push_back(std::move(line));
  return list;
}

std::string line_link(int source, int line, bool hidden, const std::string& html,
                      const std::string& attributes) {
  if (hidden) return "<span" + attributes + ">" + html + "</span>";
  return fmt::format("<a href=\"#s{}-{}\"{}>{}</a>", source, line, attributes, html);
}

std::string code_at(const SourceFile& source, const TextSpan& span) {
  constexpr std::size_t kLongestCode = 48;
  if (span.line < 1 || index(span.line) > source.lines.size()) return {};
  const std::string code(trim(source.lines[index(span.line - 1)]));
  const std::string_view prefix = utf8_prefix(code, kLongestCode);
  return escape_html(prefix) + (prefix.size() < code.size() ? "\u2026" : "");
}

std::vector<bool> hidden_functions(const Trace& trace) {
  std::vector<bool> hidden(trace.functions.size(), true);
  for (const Site& site : trace.sites) {
    if (!site.hide) hidden[index(site.function)] = false;
  }
  return hidden;
}

int cost_columns(const CostAccount& account) {
  return (account.total.ns > 0) + (account.total.flops > 0) + !account.devices.empty();
}

std::string cost_section(const Trace& trace, const CostAccount& account) {
  if (account.empty() || trace.steps.empty()) return {};
  const std::string total = show_cost(account.total);
  return fmt::format(
             "<details class=\"costs\" id=\"costs\" data-columns=\"{}\"><summary>What it "
             "cost{}{}</summary>\n",
             cost_columns(account), total.empty() ? "" : ": ", total) +
         cost_curves(account) + cost_roofline(trace, account) + cost_flame(trace, account) +
         cost_tables(trace, account) + "</details>\n";
}

std::string cost_data(const Trace& trace, const CostAccount& account) {
  if (account.empty() || trace.steps.empty()) return {};
  using Json = nlohmann::json;
  Json data{{"devices", Json::array()}, {"ns", Json::array()},     {"flops", Json::object()},
            {"bytes", Json::object()},  {"memory", Json::array()}, {"lines", Json::array()}};
  for (const std::string& device : account.devices) data["devices"].push_back(with_pictures(device));
  for (std::size_t i = 0; i < account.steps.size(); ++i) {
    const StepCost& step = account.steps[i];
    if (account.total.ns > 0) data["ns"].push_back(step.self.ns);
    if (step.self.flops > 0) data["flops"][std::to_string(i)] = step.self.flops;
    if (step.self.bytes > 0) data["bytes"][std::to_string(i)] = step.self.bytes;
    for (const DeviceMemory& memory : step.memory)
      data["memory"].push_back({i, memory.device, memory.now, memory.peak});
  }
  for (const LineCost& line : line_costs(trace, account)) {
    const CostEntry& cost = line.cost;
    data["lines"].push_back({line.source, line.line, cost.runs, cost.total.ns, cost.self.ns, cost.total.flops,
                             cost.total.bytes, cost.peak, trace.sites[index(line.site)].hide ? 1 : 0});
  }
  return script_call("lecternCosts", data);
}

}  // namespace lectern
