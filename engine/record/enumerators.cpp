#include "record/enumerators.h"

#include <algorithm>

namespace lectern::enumerators {

std::string_view entry(std::string_view list, int index) {
  // g++: "… [with Enum = Color; Enum ...Values = {Color::red, (Color)2}; …]"; clang++: "… Values =
  // <Color::red, …>]".
  list.remove_prefix(std::min(list.size(), list.find("Values = ") + 10));
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    const bool opens = c == '(' || c == '<' || c == '{';
    const bool closes = c == ')' || c == '>' || c == '}';
    if (opens) ++depth;
    if (depth == 0 && (c == ',' || closes)) {
      if (index-- == 0) {
        std::string_view name = list.substr(begin, i - begin);
        if (name.front() == '(' || name.front() == '-' || (name.front() >= '0' && name.front() <= '9'))
          return {};
        const std::size_t colons = name.rfind("::");
        return colons == std::string_view::npos ? name : name.substr(colons + 2);
      }
      if (closes) return {};
      begin = i + 2;
    } else if (closes) {
      --depth;
    }
  }
  return {};
}

}  // namespace lectern::enumerators
