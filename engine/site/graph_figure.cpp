#include "site/graph_figure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/html.h"
#include "base/utf8.h"

namespace lectern {
namespace {

using Point = GraphLayout::Point;

constexpr std::size_t kMostBoxes = 300, kMostArrows = 900;
constexpr std::size_t kMostTextLines = 6, kLongestLine = 48;
constexpr double kPoints = 72;                            // of an inch, Graphviz's unit
constexpr double kCharacter = 7.2, kLine = 16;            // of 12 px JetBrains Mono (css/graphs.css)
constexpr double kLabelCharacter = 6.6, kLabelLine = 14;  // of 11 px
constexpr double kHead = 7;                               // length of an arrow's head

std::vector<std::string> label_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (lines.size() < kMostTextLines) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::string_view start = first_characters(line, kLongestLine);
    lines.push_back(std::string(start) + (start.size() < line.size() ? "\u2026" : ""));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// In characters of a monospaced font: those of East Asian scripts are twice as wide.
double columns(std::string_view text) {
  constexpr char32_t kFirstWide = 0x1100;
  double columns = 0;
  while (!text.empty()) {
    const std::string_view character = next_character(text);
    const bool wide = utf8_character(character) > 0 && utf8_code_point(character) >= kFirstWide &&
                      !(utf8_code_point(character) >= 0x2000 && utf8_code_point(character) < 0x2e80);
    columns += wide ? 2 : 1;
    text.remove_prefix(character.size());
  }
  return columns;
}

Point box_size(const GraphFigure::Box& box) {
  double widest = 2;
  for (const std::string& line : box.lines) widest = std::max(widest, columns(line));
  return {widest * kCharacter + 18, static_cast<double>(box.lines.size()) * kLine + 12};
}

std::string head(const GraphLayout::Arrow& arrow) {
  const Point tip_from = arrow.curve[arrow.curve.size() - 2], end = arrow.curve.back();
  const double dx = end.x - tip_from.x, dy = end.y - tip_from.y, length = std::hypot(dx, dy);
  if (length == 0) return {};
  const double x = dx / length, y = dy / length, half = kHead * 0.42;
  return fmt::format("<path class=\"head\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\"/>",
                     end.x + kHead * x, end.y + kHead * y, end.x - half * y, end.y + half * x,
                     end.x + half * y, end.y - half * x);
}

std::string curve(const GraphLayout::Arrow& arrow) {
  std::string path;
  for (std::size_t i = 0; i < arrow.curve.size(); ++i) {
    const std::string_view command = i == 0 ? "M" : i % 3 == 1 ? "C" : " ";
    path += fmt::format("{}{:.1f} {:.1f}", command, arrow.curve[i].x, arrow.curve[i].y);
  }
  return "<path class=\"arrow\" d=\"" + path + "\"/>" + head(arrow);
}

std::string box_svg(const GraphFigure::Box& box, Point centre) {
  const Point size = box_size(box);
  std::string out = fmt::format(
      "<g class=\"box{}{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"6\"/>",
      box.looks.empty() ? "" : " ", box.looks, centre.x - size.x / 2, centre.y - size.y / 2, size.x, size.y);
  double y = centre.y - static_cast<double>(box.lines.size() - 1) * kLine / 2 + 4.2;
  for (const std::string& line : box.lines) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", centre.x, y, escape_html(line));
    y += kLine;
  }
  return out + "</g>";
}

}  // namespace

GraphFigure graph_figure(const rendering::Graph& graph) {
  GraphFigure figure;
  std::map<std::string, std::size_t> numbers;
  const auto number = [&](const std::string& id, const std::string& label) {
    const auto [entry, is_new] = numbers.try_emplace(id, figure.boxes.size());
    if (is_new) figure.boxes.push_back({label_lines(label.empty() ? id : label)});
    return entry->second;
  };
  for (const rendering::GraphNode& node : graph.nodes) number(node.id, node.label);
  for (const rendering::GraphEdge& edge : graph.edges) {
    const std::size_t from = number(edge.from, ""), to = number(edge.to, "");
    figure.arrows.push_back({from, to, edge.label.empty() ? "" : label_lines(edge.label).front()});
  }
  return figure;
}

std::string graphviz_source(const GraphFigure& figure) {
  if (figure.boxes.empty() || figure.boxes.size() > kMostBoxes || figure.arrows.size() > kMostArrows)
    return {};
  std::string out =
      "digraph{graph[nodesep=0.3,ranksep=0.35]node[shape=box,fixedsize=true,label=\"\"]edge[arrowsize=0.7]\n";
  for (std::size_t i = 0; i < figure.boxes.size(); ++i) {
    const Point size = box_size(figure.boxes[i]);
    out += fmt::format("n{}[width={:.3f},height={:.3f}]\n", i, size.x / kPoints, size.y / kPoints);
  }
  for (const GraphFigure::Arrow& arrow : figure.arrows) {
    out += fmt::format("n{}->n{}", arrow.from, arrow.to);
    if (!arrow.label.empty()) {
      out += fmt::format(
          "[label=<<TABLE FIXEDSIZE=\"TRUE\" WIDTH=\"{:.0f}\" HEIGHT=\"{:.0f}\" BORDER=\"0\" "
          "CELLBORDER=\"0\" "
          "CELLPADDING=\"0\" CELLSPACING=\"0\"><TR><TD></TD></TR></TABLE>>]",
          columns(arrow.label) * kLabelCharacter + 8, kLabelLine);
    }
    out += '\n';
  }
  return out + "}\n";
}

std::string graph_svg(const GraphFigure& figure, const GraphLayout& layout, const std::string& name) {
  std::string out = fmt::format(
      "<svg class=\"graph-picture\" role=\"img\" aria-label=\"{}\" viewBox=\"-1 -1 {:.0f} {:.0f}\" "
      "width=\"{:.0f}\" "
      "height=\"{:.0f}\">",
      escape_html(name), std::ceil(layout.width) + 2, std::ceil(layout.height) + 2,
      std::ceil(layout.width) + 2, std::ceil(layout.height) + 2);
  std::multimap<std::pair<std::size_t, std::size_t>, const std::string*> labels;
  for (const GraphFigure::Arrow& arrow : figure.arrows) labels.insert({{arrow.from, arrow.to}, &arrow.label});
  for (const GraphLayout::Arrow& arrow : layout.arrows) {
    out += curve(arrow);
    const auto label = labels.find({arrow.from, arrow.to});
    if (label == labels.end()) continue;
    if (!label->second->empty()) {
      out += fmt::format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", arrow.label.x,
                         arrow.label.y + 3.8, escape_html(*label->second));
    }
    labels.erase(label);
  }
  for (std::size_t i = 0; i < figure.boxes.size(); ++i) out += box_svg(figure.boxes[i], layout.boxes[i]);
  return out + "</svg>";
}

}  // namespace lectern
