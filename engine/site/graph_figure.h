#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trace/model.h"

namespace lectern {

/// A graph as it is drawn: boxes with lines of text, arrows between them.
struct GraphFigure {
  struct Box {
    std::vector<std::string> lines;
    std::string looks = {};  ///< CSS class
  };
  struct Arrow {
    std::size_t from, to;
    std::string label = {};
  };
  std::vector<Box> boxes;
  std::vector<Arrow> arrows;
};

GraphFigure graph_figure(const rendering::Graph& graph);

/// Where Graphviz puts its parts, in CSS pixels from the upper left corner.
struct GraphLayout {
  struct Point {
    double x = 0, y = 0;
  };
  struct Arrow {
    std::size_t from = 0, to = 0;
    std::vector<Point> curve;  ///< of cubic Bézier curves, one after the other
    Point label;               ///< its centre
  };
  double width = 0, height = 0;
  std::vector<Point> boxes;  ///< their centres
  std::vector<Arrow> arrows;
};

/// What Graphviz is asked. It knows sizes, but no text: the layout is the same with any fonts. Empty for a
/// graph that is too large for a page.
std::string graphviz_source(const GraphFigure& figure);

/// Inline SVG in the page's colours. `name` is for screen readers.
std::string graph_svg(const GraphFigure& figure, const GraphLayout& layout, const std::string& name);

}  // namespace lectern
