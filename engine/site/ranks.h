#pragma once

#include <string>
#include <vector>

#include "site/rendered_steps.h"
#include "trace/trace.h"

// A run of several processes has the page of its rank 0. Beside the state of that, it shows what the other
// ranks hold at the same time (rank_steps.h), and at its end where they differ.

namespace lectern {

inline constexpr const char* kRanksData = "ranks.js";
inline constexpr const char* kRanksSection = "<details class=\"ranks\"";

struct RanksOnPage {
  /// ranks.js: one call, `lecternRanks({…});`, of the RanksData in site_templates/src/ranks_data.ts.
  std::string script;
  /// What variables held at last that is not the same on all ranks. Inert HTML.
  std::string section;
};

/// `others` are the traces of ranks 1, 2 and so on. Without any, both are empty.
RanksOnPage ranks_on_page(const Trace& first, const RenderedSteps& steps, std::vector<Trace> others);

}  // namespace lectern
