#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "site/rendered_steps.h"
#include "trace/trace.h"

namespace lectern {

/// Which inspected values stand beside each statement when the lecture has run to its end, as the page's
/// script has it (site_templates/src/badges.ts): those of one activation of its function, the one that runs
/// or was the last to end, and of the last passes of the loops around the statement.
///
/// `vars`: what steps inspected, ascending. Returns indices into it, by site.
std::map<int, std::size_t> final_badges(const Trace& trace,
                                        const std::vector<std::pair<int, std::vector<Binding>>>& vars);

}  // namespace lectern
