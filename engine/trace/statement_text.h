#pragma once

#include <string>

#include "trace/trace.h"

namespace lectern {

/// A statement as it is written, on one line, up to a block that it begins, without directives.
std::string statement_text(const Trace& trace, const Site& site);

}  // namespace lectern
