#pragma once

#include <string>

#include "trace/trace.h"

namespace lectern {

/// Why a run ended, in one line (trace/end_reason.h), with the place of its last step; empty when main
/// returned 0.
std::string end_reason(const Trace& trace);

/// How a run that did not return from main ended, as plain text; empty when it did.
std::string end_message(const Trace& trace);

}  // namespace lectern
