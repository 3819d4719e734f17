#include "site/calculator_result.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/html.h"

namespace lectern {
namespace {

namespace calculators = trace_model::calculators;

constexpr double kFarthest = 1e7;  // of a coordinate

/// A coordinate or a percentage, in tenths: the same text in the script.
std::string tenths(double value) {
  const double rounded =
      std::floor(std::clamp(std::isfinite(value) ? value : 0, -kFarthest, kFarthest) * 10 + 0.5) / 10;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string color_class(int color) {
  return color >= 1 && color <= 8 ? fmt::format("c{}", color) : color < 0 ? "quiet" : "ink";
}

std::string quantities(const std::vector<calculators::Quantity>& list) {
  if (list.empty()) return {};
  std::string html = "<dl class=\"quantities\">";
  for (const calculators::Quantity& quantity : list) {
    html += "<div><dt>" + escape_html(quantity.label) + "</dt><dd>" + escape_html(quantity.text);
    if (!quantity.note.empty()) html += "<small>" + escape_html(quantity.note) + "</small>";
    html += "</dd></div>";
  }
  return html + "</dl>";
}

double length(double value) {
  return std::isfinite(value) ? std::max(0.0, value) : 0;
}

std::string bar(const calculators::Bar& each) {
  double total = 0, scale = 0;
  for (const calculators::Segment& segment : each.segments) total += length(segment.value);
  scale = total;
  for (const calculators::Segment& limit : each.limits) scale = std::max(scale, length(limit.value));
  if (scale == 0) scale = 1;
  std::string segments, legend;
  for (std::size_t i = 0; i < each.segments.size(); ++i) {
    const calculators::Segment& segment = each.segments[i];
    const std::string color = fmt::format("c{}", i % 8 + 1);
    segments += fmt::format("<span class=\"{}\" style=\"width:{}%\"></span>", color,
                            tenths(100 * length(segment.value) / scale));
    legend += "<li class=\"" + color + "\"><span>" + escape_html(segment.label) + "</span> <b>" +
              escape_html(segment.text) + "</b></li>";
  }
  for (const calculators::Segment& limit : each.limits) {
    const bool over = total > limit.value;
    segments += fmt::format("<i class=\"{}\" style=\"left:{}%\"></i>", over ? "limit over" : "limit",
                            tenths(100 * length(limit.value) / scale));
    legend += fmt::format("<li class=\"{}\"><span>", over ? "limit over" : "limit") +
              escape_html(limit.label) + "</span> <b>" + escape_html(limit.text) + "</b></li>";
  }
  return "<div class=\"stacked\"><p>" + escape_html(each.label) + "</p><div class=\"segments\">" + segments +
         "</div><ul>" + legend + "</ul></div>";
}

std::string points_text(const std::vector<double>& points) {
  std::string text;
  for (const double point : points) text.append(text.empty() ? "" : " ").append(tenths(point));
  return text;
}

std::string shape(const calculators::Shape& each) {
  const std::string color = color_class(each.color);
  const auto at = [&](std::size_t i) { return tenths(i < each.points.size() ? each.points[i] : 0); };
  if (each.kind == "label") {
    const std::string anchor = each.anchor == "start" || each.anchor == "end" ? each.anchor : "middle";
    return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", color, at(0),
                       at(1), anchor, escape_html(each.text));
  }
  const std::string title = each.text.empty() ? "" : "<title>" + escape_html(each.text) + "</title>";
  if (each.kind == "rect") {
    return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">{}</rect>", color,
                       at(0), at(1), at(2), at(3), title);
  }
  if (each.kind == "dot")
    return fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"4\">{}</circle>", color, at(0), at(1),
                       title);
  const bool area = each.kind == "area";
  return fmt::format("<{0} class=\"{1}{2}\" points=\"{3}\">{4}</{0}>", area ? "polygon" : "polyline", color,
                     each.kind == "dashes" ? " dashes" : "", points_text(each.points), title);
}

std::string drawing(const calculators::Drawing& each) {
  std::string html =
      fmt::format("<svg class=\"drawing\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">",
                  tenths(each.width), tenths(each.height), escape_html(each.alt));
  for (const calculators::Shape& part : each.shapes) html += shape(part);
  return html + "</svg>";
}

std::string cell_row(const calculators::CellRow& row) {
  std::string html = "<div class=\"cell-row\"><p>" + escape_html(row.label) + "</p><ol>";
  for (const calculators::Cell& cell : row.cells) {
    html += "<li class=\"" + color_class(cell.color) + (cell.marked ? " on" : "") + "\"";
    if (!cell.title.empty()) html += " title=\"" + escape_html(cell.title) + "\"";
    html += ">" + escape_html(cell.text) + "</li>";
  }
  return html + "</ol></div>";
}

std::string table(const calculators::Table& each) {
  const auto row_html = [](const std::vector<std::string>& row, const char* open, const char* close) {
    std::string html = "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      html.append(open).append(i > 0 ? " align=\"right\">" : ">").append(escape_html(row[i])).append(close);
    return html + "</tr>";
  };
  std::string html = "<div class=\"scroll\" tabindex=\"0\"><table><thead>" +
                     row_html(each.header, "<th scope=\"col\"", "</th>") + "</thead><tbody>";
  for (const auto& row : each.rows) html += row_html(row, "<td", "</td>");
  return html + "</tbody></table></div>";
}

}  // namespace

std::string calculator_result_html(const calculators::Result& result) {
  std::string html = quantities(result.quantities);
  for (const calculators::Bar& each : result.bars) html += bar(each);
  for (const calculators::Drawing& each : result.drawings) html += drawing(each);
  for (const calculators::CellRow& each : result.cells) html += cell_row(each);
  for (const calculators::Table& each : result.tables) html += table(each);
  for (const std::string& note : result.notes) html += "<p class=\"remark\">" + escape_html(note) + "</p>";
  return html;
}

}  // namespace lectern
