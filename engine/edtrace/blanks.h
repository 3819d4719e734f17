#pragma once

#include <algorithm>
#include <string_view>

namespace lectern {

/// A line without the blanks around it: a part of it.
inline std::string_view without_blanks(std::string_view line) {
  constexpr const char* kBlank = " \t\r\f\v";
  line = line.substr(0, line.find_last_not_of(kBlank) + 1);
  return line.substr(std::min(line.find_first_not_of(kBlank), line.size()));
}

}  // namespace lectern
