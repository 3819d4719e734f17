#pragma once

#include <string>

#include "trace/cost.h"
#include "trace/trace.h"

namespace lectern {

/// The number of cost columns beside the code: time, FLOPs, memory. 0 when the trace records no cost.
int cost_columns(const CostAccount& account);

/// "What it cost", which ends the page: curves over the steps, the call tree as a flame graph, tables of
/// functions and of lines. Inert HTML, whose size hardly depends on the length of the run. Empty when the
/// trace records no cost.
std::string cost_section(const Trace& trace, const CostAccount& account);

/// costs.js: one call, `lecternCosts({...});`, of the CostData in site_templates/src/costs_data.ts. The
/// page's script loads it once it has started. Empty when the trace records no cost.
std::string cost_data(const Trace& trace, const CostAccount& account);

}  // namespace lectern
