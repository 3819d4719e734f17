#pragma once

#include <string>

#include "trace/trace.h"

namespace lectern {

/// How a run that did not return from main ended, as plain text; empty when it did.
std::string end_message(const Trace& trace);

}  // namespace lectern
