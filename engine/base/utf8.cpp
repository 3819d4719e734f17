#include "base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <locale.h>
#include <wctype.h>

namespace lectern {
namespace {

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

bool continues(std::string_view text, std::size_t index) {
  return index < text.size() && (byte_at(text, index) & 0xC0u) == 0x80u;
}

}  // namespace

std::size_t utf8_character(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !continues(text, 1)) return 0;
  if (lead < 0xE0) return 2;
  const unsigned second = byte_at(text, 1);
  if (!continues(text, 2)) return 0;
  if (lead < 0xF0) {
    const bool overlong = lead == 0xE0 && second < 0xA0;
    const bool surrogate = lead == 0xED && second >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  const bool overlong = lead == 0xF0 && second < 0x90;
  const bool beyond = lead == 0xF4 && second >= 0x90;
  return overlong || beyond || !continues(text, 3) ? 0 : 4;
}

bool valid_utf8(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  std::size_t i = 0;
  while (i < text.size()) {
    std::uint64_t word = 0;
    if (text.size() - i >= sizeof word) {
      std::memcpy(&word, text.data() + i, sizeof word);
      if ((word & kHighBits) == 0) {
        i += sizeof word;
        continue;
      }
    }
    const std::size_t length = utf8_character(text.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string_view utf8_prefix(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t end = limit;
  while (end > 0 && limit - end < 3 && continues(text, end)) --end;
  return text.substr(0, end);
}

char32_t utf8_code_point(std::string_view character) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(character[at]); };
  if (character.size() == 1) return byte(0);
  // The first byte gives the bits past its length prefix, each other byte six bits.
  char32_t code_point = byte(0) & (0x7FU >> character.size());
  for (std::size_t at = 1; at < character.size(); ++at) code_point = code_point << 6 | (byte(at) & 0x3FU);
  return code_point;
}

bool is_letter_or_digit(char32_t code_point) {
  static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return unicode != nullptr && iswalnum_l(static_cast<wint_t>(code_point), unicode) != 0;
}

std::string_view next_character(std::string_view text) {
  return text.substr(0, std::max<std::size_t>(1, utf8_character(text)));
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) end += next_character(text.substr(end)).size();
  return text.substr(0, end);
}

void append_utf8(std::string& out, char32_t code_point) {
  std::uint32_t c = code_point;
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  // The lead byte says how many follow, each with six bits.
  const unsigned following = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr std::uint32_t kLeads[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLeads[following] | c >> 6 * following);
  for (unsigned i = following; i-- > 0;) out += static_cast<char>(0x80 | (c >> 6 * i & 0x3F));
}

}  // namespace lectern
