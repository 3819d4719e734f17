#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "site/cost_parts.h"
#include "trace/cost_text.h"

namespace lectern {
namespace {

/// So many rows of each column's largest.
constexpr std::size_t kMostFunctions = 100, kMostLines = 12;

using Weight = std::function<double(const CostEntry&)>;

struct Column {
  std::string head;
  Weight weight;
  std::string (*show)(double amount);
};

struct Row {
  std::string what;  ///< HTML
  const CostEntry* cost;
};

std::string duration(double ns) {
  return show_duration(static_cast<std::int64_t>(ns));
}
std::string quantity(double count) {
  return show_quantity(count);
}
std::string bytes(double count) {
  return show_quantity(count, "B");
}

std::vector<Column> table_columns(const CostAccount& account, const std::string& runs) {
  std::vector<Column> columns;
  if (account.total.ns > 0) {
    columns.push_back({"Time", [](const CostEntry& cost) { return cost.total.ns; }, duration});
    columns.push_back({"Self", [](const CostEntry& cost) { return cost.self.ns; }, duration});
  }
  if (account.total.flops > 0)
    columns.push_back({"FLOPs", [](const CostEntry& cost) { return cost.total.flops; }, quantity});
  if (account.total.flops > 0 && account.total.ns > 0)
    columns.push_back(
        {"FLOP/s", [](const CostEntry& cost) { return flops_per_second(cost.total); }, quantity});
  if (account.total.bytes > 0)
    columns.push_back({"Moved", [](const CostEntry& cost) { return cost.total.bytes; }, bytes});
  for (std::size_t i = 0; i < std::min(account.devices.size(), kMostCostDevices); ++i) {
    columns.push_back({"Peak, " + account.devices[i],
                       [i](const CostEntry& cost) { return i < cost.peak.size() ? cost.peak[i] : 0; },
                       bytes});
  }
  columns.push_back(
      {runs, [](const CostEntry& cost) { return cost.runs; },
       [](double count) { return with_separators(static_cast<std::uint64_t>(std::max(count, 0.0))); }});
  return columns;
}

/// The rows that are among the `most` largest of a column, by the first column, the largest first.
std::vector<Row> largest(const std::vector<Row>& rows, const std::vector<Column>& columns, std::size_t most) {
  std::set<std::size_t> kept;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto sort_by = [&](const Column& column) {
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return column.weight(*rows[a].cost) > column.weight(*rows[b].cost);
    });
  };
  for (std::size_t i = columns.size() - 1; i-- > 0;) {  // not by how often it ran
    sort_by(columns[i]);
    kept.insert(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size())));
  }
  std::vector<Row> result;
  for (const std::size_t i : order) {
    if (kept.contains(i)) result.push_back(rows[i]);
  }
  return result;
}

std::string table(const std::string& kind, const std::string& title, const std::vector<Row>& all,
                  const std::vector<Column>& columns, std::size_t most) {
  const std::vector<Row> rows = largest(all, columns, most);
  std::string out = fmt::format(
      "<h2>By {0}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Costs by {0}\"><table class=\"cost-table\" data-all=\"{1}\" "
      "data-kind=\"{0}\"><thead><tr><th scope=\"col\">{2}</th>",
      kind, all.size(), title);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", i == 0 ? " aria-sort=\"descending\"" : "",
                       escape_html(columns[i].head));
  }
  out += "</tr></thead><tbody>\n";
  for (const Row& row : rows) {
    out += "<tr><th scope=\"row\">" + row.what + "</th>";
    for (const Column& column : columns) {
      const double amount = column.weight(*row.cost);
      out += "<td>" + (amount == 0 ? std::string() : column.show(amount)) + "</td>";
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (rows.size() < all.size()) {
    out += fmt::format("<p class=\"about\">The {} of {} that cost most in one respect or another.</p>\n",
                       rows.size(), counted(all.size(), kind, kind + "s"));
  }
  return out;
}

/// "file.cpp:12", or "12" in a lecture of one file.
std::string place(const Trace& trace, int source, int line) {
  return (trace.sources.size() > 1 ? escape_html(trace.sources[index(source)].path) + ":" : std::string()) +
         std::to_string(line);
}

}  // namespace

std::string cost_tables(const Trace& trace, const CostAccount& account) {
  const std::vector<bool> hidden = hidden_functions(trace);
  std::vector<Row> functions;
  for (std::size_t i = 0; i < trace.functions.size(); ++i) {
    if (account.functions[i].runs == 0) continue;
    const TracedFunction& function = trace.functions[i];
    functions.push_back(
        {line_link(function.source, function.span.line, hidden[i], escape_html(function.name)) + " <span>" +
             place(trace, function.source, function.span.line) + "</span>",
         &account.functions[i]});
  }
  const std::vector<LineCost> costs = line_costs(trace, account);
  std::vector<Row> lines;
  lines.reserve(costs.size());
  for (const LineCost& line : costs) {
    const Site& site = trace.sites[index(line.site)];
    lines.push_back({line_link(line.source, line.line, site.hide, place(trace, line.source, line.line)) +
                         " <code>" + code_at(trace.sources[index(line.source)], site.span) + "</code>",
                     &line.cost});
  }
  std::string out =
      table("function", "Function", functions, table_columns(account, "Calls"), kMostFunctions) +
      table("line", "Line", lines, table_columns(account, "Runs"), kMostLines);
  if (account.total.ns > 0)
    out += "<p class=\"about\">Self: the time without what was called. All else is with it.</p>\n";
  return out;
}

}  // namespace lectern
