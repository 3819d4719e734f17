#pragma once

#include <string>
#include <string_view>

namespace lectern::cli {

/// `using namespace lectern;` shows a lecture's global functions, variables and classes beside Lectern's
/// names. Functions of equal names are overloads; where one of them is not a function, C++ calls the name
/// ambiguous. For a compiler's error line that says so: which of Lectern's names it is, and the remedy, with
/// file, line and column; empty for any other line.
std::string ambiguous_name_remedy(std::string_view line);

}  // namespace lectern::cli
