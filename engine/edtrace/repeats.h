#pragma once

#include <map>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// edtrace's viewers show of all steps at a line the renderings of the last, even if it has none. Of the last
/// step of each line: the steps before it whose renderings it has to repeat so that the viewer shows what the
/// line's last pass that showed something showed. (A pass is the line's statements within one activation
/// until another line comes or a statement comes again.)
std::map<std::size_t, std::vector<std::size_t>> repeated_steps(const Trace& trace);

}  // namespace lectern
