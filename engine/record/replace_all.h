#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// In place, from left to right; what comes in is not searched again.
inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace lectern
