#pragma once

#include <string>

#include "trace/trace.h"

namespace lectern {

/// A trace as text, in the layout of traces/README.md: what the recorder would have written.
std::string write_trace(const Trace& trace);

}  // namespace lectern
