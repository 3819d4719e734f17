#pragma once

#include <vector>

#include "check/difference.h"

namespace lectern {

/// Statements in a row with the same message are one item: an early return leaves many out. What the run as
/// a whole did comes first, since how it ended explains the rest.
std::vector<Difference> merge_neighbours(std::vector<Difference> items);

}  // namespace lectern
