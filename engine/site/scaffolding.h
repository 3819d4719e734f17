#pragma once

#include <vector>

#include "trace/trace.h"

namespace lectern {

/// Which lines of a source, outside its definitions, only hold the program together: includes, using
/// directives, declarations of functions, what opens and closes namespaces, and comments that stand above
/// none of the rest.
std::vector<bool> scaffolding_lines(const SourceFile& file);

}  // namespace lectern
