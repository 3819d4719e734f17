#pragma once

#include <string>

#include "trace/step_details.h"

namespace lectern {

/// Why a run ended, in one line for a person: "lectures/name.cpp:31:3: claim failed: x == 2". Empty when main
/// returned 0.
std::string end_reason(const Ended& ended);

}  // namespace lectern
