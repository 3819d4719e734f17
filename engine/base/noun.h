#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace lectern {

/// A number, as text, and what it counts: "1 dimension", "2 dimensions", "1.5 bytes per token". Without
/// `many`, the plural has an s.
inline std::string with_noun(std::string number, std::string_view one, std::string_view many = {}) {
  const bool is_one = number == "1";
  number.append(" ").append(is_one || many.empty() ? one : many);
  return !is_one && many.empty() ? number + "s" : number;
}

inline std::string with_noun(std::integral auto number, std::string_view one, std::string_view many = {}) {
  return with_noun(std::to_string(number), one, many);
}

}  // namespace lectern
