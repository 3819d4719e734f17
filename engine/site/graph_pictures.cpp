#include "site/graph_pictures.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "base/temporary_folder.h"
#include "site/drawing_program.h"
#include "trace/step_details.h"

namespace lectern {
namespace {

constexpr int kSeconds = 20;
constexpr double kPixels = 72;  // of an inch

/// A graph of a trace, and the statement that showed it first.
struct Found {
  std::string source;
  int site;
};

/// Looks for graphs in what a trace shows.
class Search {
 public:
  explicit Search(const Trace& trace) {
    for (const Step& step : trace.steps) {
      if (step.text.find("graph") == std::string_view::npos) continue;
      for (const Rendering& rendering : step.details().show) {
        if (const auto* const graph = rendering.as<rendering::Graph>()) add(graph_figure(*graph), step.site);
      }
    }
  }

  std::vector<Found> take() { return std::move(found_); }

 private:
  void add(const GraphFigure& figure, int site) {
    std::string source = graphviz_source(figure);
    const bool known =
        std::any_of(found_.begin(), found_.end(), [&](const Found& other) { return other.source == source; });
    if (!known) found_.push_back({std::move(source), site});
  }

  std::vector<Found> found_;
};

/// Reads what `dot -Tplain` writes of one graph: lines of words and numbers in inches, from the lower left.
class PlainReader {
 public:
  /// Nothing when it is torn.
  std::optional<GraphLayout> read(std::istringstream& text) {
    GraphLayout layout;
    for (std::string line; std::getline(text, line);) {
      std::istringstream words(line);
      std::string kind;
      words >> kind;
      if (kind == "stop") return layout;
      if (kind == "graph") {
        double scale = 1;
        words >> scale >> layout.width >> layout.height;
        layout.width *= kPixels;
        layout.height *= kPixels;
      } else if (kind == "node") {
        if (number(words) != layout.boxes.size()) return std::nullopt;
        layout.boxes.push_back(point(words, layout.height));
      } else if (kind == "edge") {
        layout.arrows.push_back(arrow(words, layout.height));
      }
      if (!words) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  /// 12 of "n12"
  static std::size_t number(std::istringstream& words) {
    char n = 0;
    std::size_t number = 0;
    words >> n >> number;
    return number;
  }
  static GraphLayout::Point point(std::istringstream& words, double height) {
    GraphLayout::Point point;
    words >> point.x >> point.y;
    return {point.x * kPixels, height - point.y * kPixels};
  }
  static GraphLayout::Arrow arrow(std::istringstream& words, double height) {
    GraphLayout::Arrow arrow;
    arrow.from = number(words);
    arrow.to = number(words);
    std::size_t points = 0;
    words >> points;
    for (std::size_t i = 0; i < points && words; ++i) arrow.curve.push_back(point(words, height));
    if (arrow.curve.size() < 4) words.setstate(std::ios::failbit);
    std::string label;
    words >> label;
    if (label.starts_with('"')) arrow.label = point(words, height);  // else its style
    return arrow;
  }
};

/// Of each source the layout, or of none; else the problem.
std::string lay_out(const std::vector<Found>& graphs, std::map<std::string, GraphLayout>& layouts) {
  const TemporaryFolder folder("drawings");
  const auto input = folder.path() / "graphs";
  std::string sources;
  for (const Found& graph : graphs) sources += graph.source;
  write_file(input, sources);
  switch (run_program({"dot", "-Tplain", "-O", input}, kSeconds)) {
    case Ran::not_found:
      return "there is no dot, which draws it; install graphviz";
    case Ran::too_long:
      return fmt::format("the graphs take dot longer than {} s", kSeconds);
    case Ran::failed:
      return "dot failed";
    case Ran::done:
      break;
  }
  std::size_t number = 0;
  for (const Found& graph : graphs) {
    if (graph.source.empty()) continue;
    // What dot calls its files; in one file it does not keep the order.
    const std::string name = ++number == 1 ? "graphs.plain" : fmt::format("graphs.{}.plain", number);
    std::istringstream text(read_file(folder.path() / name));
    std::optional<GraphLayout> layout = PlainReader().read(text);
    if (!layout) return "dot did not draw it";
    layouts.emplace(graph.source, std::move(*layout));
  }
  return {};
}

}  // namespace

GraphPictures::GraphPictures(const Trace& trace,
                             const std::function<void(int site, const std::string& what)>& warn) {
  std::vector<Found> graphs = Search(trace).take();
  const auto large = std::ranges::find(graphs, std::string(), &Found::source);
  if (large != graphs.end()) {
    warn(large->site, "it has too many nodes or edges");
    graphs.erase(large);
  }
  if (graphs.empty()) return;
  const std::string problem = lay_out(graphs, layouts_);
  if (!problem.empty()) warn(graphs.front().site, problem);
}

std::string GraphPictures::html(const GraphFigure& figure, const std::string& name) const {
  const auto layout = layouts_.find(graphviz_source(figure));
  if (layout == layouts_.end() || layout->second.boxes.size() != figure.boxes.size()) return {};
  return "<div class=\"scroll\" tabindex=\"0\">" + graph_svg(figure, layout->second, name) + "</div>";
}

}  // namespace lectern
