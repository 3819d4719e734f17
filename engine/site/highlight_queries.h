#pragma once

#include <array>
#include <string_view>

namespace lectern {

/// The grammars' highlight queries, C's first, then C++'s, and Python's; made from the npm packages when the
/// project is configured.
extern const std::array<std::string_view, 2> cpp_highlight_queries;
extern const std::array<std::string_view, 1> python_highlight_queries;

}  // namespace lectern
