#include <set>
#include <string>

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
  if (!record::recording())
    return print_plain("[plot" + (style.caption.empty() ? "]" : ": " + style.caption + "]"));
  add_rendering(rendering::Plot{{std::string(vega_lite_json)}, style.alt, style.caption, style.width});
}

void graph(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges, const Style& style) {
  check(nodes, edges);
  if (!record::recording()) {
    for (const GraphEdge& edge : edges) print_plain(edge.from + " -> " + edge.to);
    return;
  }
  add_rendering(rendering::Graph{nodes, edges, style.alt, style.caption, style.width});
}

void table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
           const Style& style) {
  if (header.empty()) refuse("table: the header is empty; name the columns");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() == header.size()) continue;
    refuse("table: row " + std::to_string(i + 1) + " has " + std::to_string(rows[i].size()) +
           " cells, the header has " + std::to_string(header.size()) + "; give each row as many");
  }
  if (!record::recording()) {
    const auto print_row = [](const std::vector<std::string>& row) {
      std::string line;
      for (const std::string& cell : row) line.append(line.empty() ? "" : " | ").append(cell);
      print_plain(line);
    };
    print_row(header);
    for (const auto& row : rows) print_row(row);
    return;
  }
  add_rendering(rendering::Table{header, rows, style.caption, style.width});
}

}  // namespace lectern
