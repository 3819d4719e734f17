#pragma once

#include <vector>

#include "trace/trace.h"

namespace lectern {

/// For each line of a source, whether it belongs to a definition that is not shown.
std::vector<bool> hidden_lines(const SourceFile& source);

}  // namespace lectern
