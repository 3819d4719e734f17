#pragma once

#include <vector>

#include "compile/plan.h"
#include "compile/report.h"

namespace lectern::fusion {

struct Evaluation {
  PlanCache* plans = nullptr;  ///< null: the plan is made for this once
  Report* report = nullptr;    ///< null: none
};

/// Computes the deferred elements of these storages. Counts the floating-point operations of all that is
/// computed, and of each pass the bytes of what it reads and of what it stores.
void evaluate(const std::vector<Storage>& results, const Evaluation& how);

}  // namespace lectern::fusion
