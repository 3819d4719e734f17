#include "site/writing.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/utf8.h"

namespace lectern {
namespace {

enum class Script { kana, hangul, han, hebrew, arabic, other };

struct Range {
  char32_t first, last;
  Script script;
};

constexpr std::array kRanges{
    Range{0x0590, 0x05FF, Script::hebrew}, Range{0x0600, 0x08FF, Script::arabic},
    Range{0x1100, 0x11FF, Script::hangul}, Range{0x3041, 0x30FF, Script::kana},
    Range{0x3130, 0x318F, Script::hangul}, Range{0x3400, 0x4DBF, Script::han},
    Range{0x4E00, 0x9FFF, Script::han},    Range{0xAC00, 0xD7FF, Script::hangul},
    Range{0xF900, 0xFAFF, Script::han},    Range{0xFB1D, 0xFB4F, Script::hebrew},
    Range{0xFB50, 0xFDFF, Script::arabic}, Range{0xFE70, 0xFEFC, Script::arabic},
    Range{0x20000, 0x3FFFF, Script::han},
};

Script find_script(char32_t character) {
  const auto* const range = std::find_if(kRanges.begin(), kRanges.end(), [&](const Range& each) {
    return character >= each.first && character <= each.last;
  });
  return range == kRanges.end() ? Script::other : range->script;
}

}  // namespace

std::string writing_attributes(std::string_view text) {
  std::array<std::size_t, 6> counts{};
  const auto count = [&](Script script) -> std::size_t& { return counts[static_cast<std::size_t>(script)]; };
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    if (length > 1) ++count(find_script(utf8_code_point(text.substr(0, length))));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  std::string attributes;
  // Chinese characters are in Japanese and Korean texts too. Arabic letters write many languages: none is
  // claimed.
  if (count(Script::kana) > 0) {
    attributes = " lang=\"ja\"";
  } else if (count(Script::hangul) > 0) {
    attributes = " lang=\"ko\"";
  } else if (count(Script::han) > 0) {
    attributes = " lang=\"zh\"";
  } else if (count(Script::hebrew) > 0) {
    attributes = " lang=\"he\"";
  }
  if (count(Script::hebrew) + count(Script::arabic) > 0) attributes += " dir=\"auto\"";
  return attributes;
}

}  // namespace lectern
