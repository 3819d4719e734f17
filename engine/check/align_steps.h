#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "check/align_sites.h"

namespace lectern {

/// Which steps of two traces correspond. -1: none.
struct StepAlignment {
  std::vector<int> new_step;  ///< of each old step
  std::vector<int> old_step;  ///< of each new step
  /// Of steps without a counterpart: whether they are in a call by a step that has none either.
  std::vector<bool> old_inside, new_inside;
  /// Executions that have a second step, after a call, in only one of the traces: by their first step in the
  /// new trace.
  struct SecondStep {
    int old_step = -1, new_step = -1;
    bool both_call = false;  ///< only one came back from the call
  };
  std::unordered_map<int, SecondStep> second = {};
  /// Further returns to an execution that has a counterpart, which themselves have none: of an expression
  /// that calls more than once (Python's comprehensions).
  std::unordered_set<int> old_returns = {}, new_returns = {};

  SecondStep second_of(int first_new_step) const {
    const auto found = second.find(first_new_step);
    return found == second.end() ? SecondStep{} : found->second;
  }
};

/// Follows the calls from the outermost functions inwards. Within two corresponding activations, steps are
/// aligned by the fewest insertions and removals of executions; where the two have little in common, the n-th
/// execution of a statement corresponds to the n-th of its counterpart, as long as the order is kept. Of two
/// corresponding steps, the k-th calls of the same function correspond. So what one call did differently
/// does not affect the others.
StepAlignment align_steps(const Trace& old_trace, const Trace& new_trace, const SiteAlignment& sites);

}  // namespace lectern
