#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/characters.h"

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

/// Whether two tags name the same language: "en" and "EN" do.
inline bool is_same_language(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

/// Whether such a language is written from the right to the left: by the script that the tag names, else by
/// the one that it usually has.
inline bool is_right_to_left(std::string_view tag) {
  constexpr std::array<std::string_view, 16> kLanguages{"ar",  "arc", "ckb", "dv", "fa",  "he", "iw", "ks",
                                                        "lrc", "nqo", "ps",  "sd", "syr", "ug", "ur", "yi"};
  constexpr std::array<std::string_view, 8> kScripts{"arab", "hebr", "syrc", "thaa",
                                                     "nkoo", "adlm", "mand", "rohg"};
  constexpr std::size_t kScriptLength = 4;
  bool found = false;
  for (std::size_t begin = 0; begin <= tag.size();) {
    const std::size_t end = std::min(tag.find('-', begin), tag.size());
    std::string part(tag.substr(begin, end - begin));
    std::ranges::transform(part, part.begin(), to_lower);
    if (begin == 0) {
      found = std::ranges::find(kLanguages, part) != kLanguages.end();
    } else if (part.size() == kScriptLength && !is_digit(part[0])) {
      return std::ranges::find(kScripts, part) != kScripts.end();
    }
    begin = end + 1;
  }
  return found;
}

}  // namespace lectern
