#pragma once

#include <vector>

#include "site/function_counterparts.h"
#include "trace/trace.h"

namespace lectern {

/// Which steps of two runs correspond: by step of each the step of the other; -1 where none does.
struct Counterparts {
  std::vector<int> of_first, of_other;
};

/// The steps of a lecture and of the same lecture in another language, whose functions correspond so.
///
/// Calls are paired from the program down: the n-th call of a function within one call of the function that
/// it is called from, however many functions without a counterpart are between them, and calls that were left
/// out
/// (@steps) count. Functions that are called from elsewhere in the two languages are paired call by call.
/// Within two calls that correspond, steps that show the same text are paired first, between these the calls,
/// between these the steps that inspect variables of the same names, and what remains between two pairs by
/// its share of the steps there. Steps in calls without a counterpart have none.
Counterparts step_counterparts(const Trace& first, const Trace& other, const FunctionCounterparts& functions);

}  // namespace lectern
