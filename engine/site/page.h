#pragma once

#include <cstddef>
#include <string>

#include "site/rendered_steps.h"
#include "site/summary.h"

namespace lectern {

/// A page has at most this many bytes per byte of its trace, plus 64 KB; formulas grow by far the most.
inline constexpr std::size_t kPageGrowth = 2000;

/// The lecture as HTML, without script: title block, code with final values, renderings in place of hooks,
/// what was printed. The markup is described in site_templates/src/data.ts.
/// `root` leads to the folder of the home page.
std::string lecture_body(const Trace& trace, const RenderedSteps& steps, const std::string& root = "../");

/// What the page's head and the home page say.
LectureSummary summarize(const Trace& trace, const RenderedSteps& steps);

}  // namespace lectern
