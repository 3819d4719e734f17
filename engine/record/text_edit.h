#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lectern {

/// In place, from left to right; what comes in is not searched again.
inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// The index past the bracket that closes the one at `open`; the end if none does.
inline std::size_t past_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (std::string_view("<([{").find(text[i]) != std::string_view::npos) ++depth;
    if (std::string_view(">)]}").find(text[i]) != std::string_view::npos && --depth == 0) return i + 1;
  }
  return text.size();
}

}  // namespace lectern
