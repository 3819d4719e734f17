#pragma once

#include "trace/step_details.h"
#include "trace/trace.h"

namespace lectern {

/// What a step recorded, with what the second one of the same execution, after a call, did; -1: there is
/// none. A variable has the value of the second step, texts and lists follow each other.
StepDetails execution_details(const Trace& trace, int step, int second);

}  // namespace lectern
