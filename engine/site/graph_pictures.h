#pragma once

#include <functional>
#include <map>
#include <string>

#include "site/graph_figure.h"
#include "trace/trace.h"

namespace lectern {

/// Pictures of a trace's graphs, all laid out by one run of Graphviz's `dot` when it is made.
class GraphPictures {
 public:
  /// None.
  GraphPictures() = default;
  /// `warn` is told why some have none, with the statement of the first.
  GraphPictures(const Trace& trace, const std::function<void(int site, const std::string& what)>& warn);

  /// The graph as SVG that scrolls where it is wide; empty where it has no picture.
  std::string html(const GraphFigure& figure, const std::string& name) const;

 private:
  std::map<std::string, GraphLayout> layouts_;  ///< by graphviz_source()
};

}  // namespace lectern
