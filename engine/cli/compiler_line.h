#pragma once

#include <string_view>

namespace lectern::cli {

/// After the place in a line of a compiler's messages.
inline constexpr std::string_view kErrorMark = ": error: ", kNoteMark = ": note: ";

inline bool has(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

}  // namespace lectern::cli
