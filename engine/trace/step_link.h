#pragma once

#include <string>
#include <vector>

#include "trace/identity.h"

namespace lectern {

/// A step's permanent address on its page, "#step=IDENTITY/EXECUTION.ACTIVATION@NUMBER" with "+" before the @
/// for the second step of a statement. The number, from 1, serves when the rest is gone. The same as the
/// page's own script makes. `identities` and `passes`: the trace's.
std::string step_link(const Trace& trace, const std::vector<std::string>& identities,
                      const std::vector<Pass>& passes, int step);

}  // namespace lectern
