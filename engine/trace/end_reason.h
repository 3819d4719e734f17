#pragma once

#include <string>

#include "trace/step_details.h"

namespace lectern {

/// Why a run ended, in one line for a person: "lectures/name.cpp:31:3: claim failed: x == 2". Empty when main
/// returned 0. Of several processes, with the rank: "lectures/name.cpp:31:3: rank 2: claim failed: x == 2".
std::string end_reason(const Ended& ended, int rank = -1);

}  // namespace lectern
