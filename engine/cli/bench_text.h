#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lectern::cli {

/// Three significant digits.
std::string significant(double value);

/// "12.3 µs".
std::string time_text(double nanoseconds);

/// Bytes of so many nanoseconds: "4300 GB/s".
std::string bandwidth_text(double bytes, double nanoseconds);

/// A row of a table; the first has the titles.
using Cells = std::vector<std::string>;

/// One line for each row, in columns; those that are empty below their title are left out. The first
/// `left_first` columns and the last `left_last` are flush left.
std::string aligned(const std::vector<Cells>& lines, std::size_t left_first, std::size_t left_last);

}  // namespace lectern::cli
