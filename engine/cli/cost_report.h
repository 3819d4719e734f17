#pragma once

#include <cstddef>
#include <string>

#include "trace/trace.h"

namespace lectern::cli {

enum class CostOrder { time, flops, bytes, memory };

struct CostReportOptions {
  CostOrder order = CostOrder::time;  ///< the highest comes first
  std::size_t rows = 20;              ///< at most that many functions and that many lines; 0: all
};

/// The cost of a lecture's functions and lines, as two tables for people.
std::string cost_text(const Trace& trace, const CostReportOptions& options = {});

/// All of it as a JSON object: "lecture", "total", "devices", "roof" where the trace tells of one,
/// "functions" and "lines". Times are in nanoseconds, memory in bytes, shares of the roof from 0 to 1 (more
/// in caches).
std::string cost_json(const Trace& trace);

}  // namespace lectern::cli
