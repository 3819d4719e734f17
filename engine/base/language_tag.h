#pragma once

#include <cstddef>
#include <string_view>

namespace lectern {

/// Whether it has the form of a language tag of BCP 47 (RFC 5646, section 2.1): "en", "pt-BR", "zh-Hant".
/// Which languages there are, it does not know.
inline bool is_language_tag(std::string_view text) {
  constexpr std::size_t kLongest = 8;  // letters of a part
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::size_t length = 0, parts = 0;
  for (const char c : text) {
    const bool fits = is_letter(c) || (parts > 0 && c >= '0' && c <= '9');
    if (c == '-' && length > (parts == 0 ? 1 : 0)) {
      ++parts;
      length = 0;
    } else if (!fits || ++length > kLongest) {
      return false;
    }
  }
  return length > (parts == 0 ? 1 : 0);
}

}  // namespace lectern
