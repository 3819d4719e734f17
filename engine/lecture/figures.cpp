#include <set>
#include <string>

#include "lecture/checks.h"
#include "lecture/hooks.h"
#include "lecture/rendering.h"
#include "trace/json_problem.h"

namespace lectern {
namespace {

void check(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges) {
  std::set<std::string> ids;
  for (const GraphNode& node : nodes) {
    if (node.id.empty()) refuse("graph: a node has no id; give each one of its own");
    if (!ids.insert(node.id).second)
      refuse("graph: two nodes have the id \"" + node.id + "\"; give each its own");
  }
  for (const GraphEdge& edge : edges) {
    for (const std::string& end : {edge.from, edge.to}) {
      if (!ids.contains(end)) {
        refuse("graph: an edge names the node \"" + end + "\", which is not there; add it to the nodes");
      }
    }
  }
}

}  // namespace

void plot(std::string_view vega_lite_json, const Style& style) {
  if (const std::string problem = json_error(vega_lite_json); !problem.empty()) {
    refuse("plot: the specification is not JSON: " + problem + "; correct it there");
  }
  if (vega_lite_json[vega_lite_json.find_first_not_of(" \t\r\n")] != '{') {
    refuse("plot: the specification is not a JSON object; Vega-Lite's are {\"mark\": …, \"encoding\": …}");
  }
  check_language("plot", style.language);
  if (!record::recording())
    return print_plain("[plot" + (style.caption.empty() ? "]" : ": " + style.caption + "]"));
  add_rendering(
      rendering::Plot{{dedented(vega_lite_json)}, style.alt, style.caption, style.width, style.language});
}

void graph(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges, const Style& style) {
  check(nodes, edges);
  check_language("graph", style.language);
  if (!record::recording()) {
    for (const GraphEdge& edge : edges) print_plain(edge.from + " -> " + edge.to);
    return;
  }
  add_rendering(rendering::Graph{nodes, edges, style.alt, style.caption, style.width, style.language});
}

}  // namespace lectern
