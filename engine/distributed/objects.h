#pragma once

#include <string>
#include <vector>

#include "distributed/process_group.h"

namespace lectern::distributed {

/// Every rank's bytes, of any lengths, in the order of ranks: two all_gathers, of the lengths and of the
/// bytes, filled up to the longest.
std::vector<std::string> all_gather_object(const std::string& object, const Group& group = nullptr);

}  // namespace lectern::distributed
