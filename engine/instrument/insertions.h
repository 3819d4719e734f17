#pragma once

#include <string_view>

namespace lectern {

/// The comment before all inserted code: "/*lectern:LENGTH*/", followed by LENGTH bytes.
inline constexpr std::string_view insertion_marker = "/*lectern:";

}  // namespace lectern
