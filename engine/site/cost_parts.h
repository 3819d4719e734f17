#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trace/cost.h"
#include "trace/trace.h"

namespace lectern {

/// The total cost of the statements that begin on a line.
struct LineCost {
  int source = 0, line = 0;
  int site = 0;  ///< the first of them
  CostEntry cost = {};
};

/// Of the lines that ran, by source and line.
std::vector<LineCost> line_costs(const Trace& trace, const CostAccount& account);

/// Further devices have no columns and curves of their own.
inline constexpr std::size_t kMostCostDevices = 4;

/// Figures: memory by device, time and FLOPs by step; one unit of width for each part of the run.
std::string cost_curves(const CostAccount& account);

/// A figure: the lines on their device's roofline, each a link. Empty unless the trace tells of one.
std::string cost_roofline(const Trace& trace, const CostAccount& account);

/// The call tree as nested lists, each frame as wide as its share of its caller's time or FLOPs.
std::string cost_flame(const Trace& trace, const CostAccount& account);

/// Functions, and the lines with the highest cost of any kind.
std::string cost_tables(const Trace& trace, const CostAccount& account);

/// By function: whether the page shows none of its lines.
std::vector<bool> hidden_functions(const Trace& trace);

/// The first line of a statement, as HTML.
std::string code_at(const SourceFile& source, const TextSpan& span);

/// A link to a line of a source; only its text where the page does not show that line.
std::string line_link(int source, int line, bool hidden, const std::string& html,
                      const std::string& attributes = "");

}  // namespace lectern
