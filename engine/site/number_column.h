#pragma once

#include <string>
#include <vector>

namespace lectern {

/// Whole numbers as a text that a page's script decodes faster than it would parse a list: of each number its
/// difference from the one before, as base 64 VLQ, the variable-length quantities of source maps.
std::string number_column(const std::vector<int>& numbers);

}  // namespace lectern
