#include "cli/cost_report.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "trace/cost.h"
#include "trace/cost_text.h"
#include "trace/roof.h"

namespace lectern::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMicro = "us";  // columns are aligned by bytes

/// A function or a statement with its cost.
struct Row {
  std::string what;
  std::string path;
  int line = 0;
  CostEntry cost;
};

std::int64_t largest(const std::vector<std::int64_t>& peaks) {
  return peaks.empty() ? 0 : *std::max_element(peaks.begin(), peaks.end());
}

double weight(const CostEntry& entry, CostOrder order) {
  switch (order) {
    case CostOrder::time:
      return static_cast<double>(entry.total.ns);
    case CostOrder::flops:
      return static_cast<double>(entry.total.flops);
    case CostOrder::bytes:
      return static_cast<double>(entry.total.bytes);
    case CostOrder::memory:
      return static_cast<double>(largest(entry.peak));
  }
  return 0;
}

/// The statement's first line.
std::string code_at(const SourceFile& source, const TextSpan& span) {
  if (span.line < 1 || index(span.line) > source.lines.size()) return {};
  const std::string& line = source.lines[index(span.line - 1)];
  const std::size_t begin = std::min(index(std::max(span.column, 1) - 1), line.size());
  const std::size_t end =
      span.end_line == span.line ? std::min(index(span.end_column - 1), line.size()) : line.size();
  return line.substr(begin, std::max(begin, end) - begin);
}

std::vector<Row> function_rows(const Trace& trace, const CostAccount& account) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < trace.functions.size(); ++i) {
    const TracedFunction& function = trace.functions[i];
    if (account.functions[i].runs == 0) continue;
    rows.push_back({function.name, trace.sources[index(function.source)].path, function.span.line,
                    account.functions[i]});
  }
  return rows;
}

std::vector<Row> line_rows(const Trace& trace, const CostAccount& account) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const Site& site = trace.sites[i];
    if (account.sites[i].runs == 0) continue;
    const SourceFile& source = trace.sources[index(trace.functions[index(site.function)].source)];
    rows.push_back({code_at(source, site.span), source.path, site.span.line, account.sites[i]});
  }
  return rows;
}

void sort_rows(std::vector<Row>& rows, CostOrder order) {
  std::stable_sort(rows.begin(), rows.end(), [order](const Row& a, const Row& b) {
    return weight(a.cost, order) > weight(b.cost, order);
  });
}

std::string rate(const Cost& cost) {
  const double flops = flops_per_second(cost);
  return flops > 0 ? show_quantity(flops) : "";
}

std::string count_or_nothing(std::uint64_t count) {
  return count == 0 ? "" : show_quantity(static_cast<double>(count));
}

/// Columns without any value are left out.
std::string table(std::vector<std::vector<std::string>> cells) {
  std::string text;
  const std::size_t columns = cells.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t row = 1; row < cells.size(); ++row)
      widths[column] = std::max(widths[column], cells[row][column].size());
    if (widths[column] > 0) widths[column] = std::max(widths[column], cells[0][column].size());
  }
  for (const std::vector<std::string>& row : cells) {
    for (std::size_t column = 0; column + 1 < columns; ++column) {
      if (widths[column] > 0) text += fmt::format("{:>{}}  ", row[column], widths[column]);
    }
    text += row.back() + "\n";
  }
  return text;
}

/// What share of its roof it reached.
std::string roof_share(const std::optional<Roof>& roof, const Cost& cost) {
  const double share = roof ? roof->share(cost) : 0;
  return share > 0 ? show_share(share) : "";
}

std::string cost_table(std::vector<Row> rows, const char* runs, const char* what,
                       const CostReportOptions& options, const std::optional<Roof>& roof, bool with_code) {
  constexpr std::size_t kLongestCode = 60;
  sort_rows(rows, options.order);
  const std::size_t all = rows.size();
  if (options.rows > 0 && all > options.rows) rows.resize(options.rows);
  std::vector<std::vector<std::string>> cells{
      {"time", "self", "FLOPs", "FLOP/s", "roof", "bytes", "peak", runs, what}};
  for (const Row& row : rows) {
    const CostEntry& cost = row.cost;
    std::string place = fmt::format("{}:{}", row.path, row.line);
    std::string name =
        with_code ? place + "  " + std::string(utf8_prefix(row.what, kLongestCode)) : row.what + "  " + place;
    cells.push_back({show_duration(cost.total.ns, kMicro), show_duration(cost.self.ns, kMicro),
                     count_or_nothing(cost.total.flops), rate(cost.total), roof_share(roof, cost.total),
                     count_or_nothing(cost.total.bytes),
                     count_or_nothing(static_cast<std::uint64_t>(largest(cost.peak))),
                     std::to_string(cost.runs), std::move(name)});
  }
  std::string text = table(std::move(cells));
  if (rows.size() < all) text += fmt::format("… and {} more\n", all - rows.size());
  return text;
}

Json to_json(const Cost& cost) {
  return {{"ns", cost.ns}, {"flops", cost.flops}, {"bytes", cost.bytes}};
}

Json to_json(const std::vector<Row>& rows, const char* name, const char* runs,
             const std::vector<std::string>& devices, const std::optional<Roof>& roof) {
  Json list = Json::array();
  for (const Row& row : rows) {
    Json peak = Json::object();
    for (std::size_t i = 0; i < row.cost.peak.size(); ++i) peak[devices[i]] = row.cost.peak[i];
    list.push_back({{name, row.what},
                    {"path", row.path},
                    {"line", row.line},
                    {runs, row.cost.runs},
                    {"self", to_json(row.cost.self)},
                    {"total", to_json(row.cost.total)},
                    {"peak", std::move(peak)}});
    if (const double share = roof ? roof->share(row.cost.total) : 0; share > 0) list.back()["roof"] = share;
  }
  return list;
}

}  // namespace

std::string cost_text(const Trace& trace, const CostReportOptions& options) {
  const CostAccount account = cost_account(trace);
  std::string text = trace.lecture + ": " + show_duration(account.total.ns, kMicro);
  if (account.total.flops > 0) text += ", " + show_quantity(static_cast<double>(account.total.flops), "FLOP");
  if (account.total.bytes > 0)
    text += ", " + show_quantity(static_cast<double>(account.total.bytes), "B") + " moved";
  text += fmt::format(", {} steps\n", trace.steps.size());
  const std::optional<Roof> roof = run_roof(trace, account);
  if (roof) {
    text += fmt::format("roof: {}, {} in float32, {} of memory\n", roof->device,
                        show_quantity(roof->flops, "FLOP/s"), show_quantity(roof->bytes, "B/s"));
  }
  text += "\n" + cost_table(function_rows(trace, account), "calls", "function", options, roof, false);
  return text + "\n" + cost_table(line_rows(trace, account), "runs", "line", options, roof, true);
}

std::string cost_json(const Trace& trace) {
  const CostAccount account = cost_account(trace);
  const std::optional<Roof> roof = run_roof(trace, account);
  Json json{{"lecture", trace.lecture}, {"total", to_json(account.total)}, {"devices", account.devices}};
  if (roof) json["roof"] = {{"device", roof->device}, {"flops", roof->flops}, {"bytes", roof->bytes}};
  json["functions"] = to_json(function_rows(trace, account), "name", "calls", account.devices, roof);
  json["lines"] = to_json(line_rows(trace, account), "code", "runs", account.devices, roof);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lectern::cli
