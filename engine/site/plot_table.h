#pragma once

#include <cstddef>
#include <string>

namespace lectern {

/// More rows would not be read.
inline constexpr std::size_t kMostTableRows = 50, kMostTableColumns = 12;

/// The data of a plot as a table, for where there is no picture of it: of the first view that has data, the
/// first kMostTableRows rows, and how many there are. Empty when there are none in the specification.
std::string plot_table(const std::string& spec);

}  // namespace lectern
