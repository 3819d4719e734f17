#include "check/excerpt.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/utf8.h"

namespace lectern {
namespace {

constexpr std::size_t kAround = 20, kLength = 60;

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// What differs of a text, from `begin` to `end`, with what stands around it.
std::string part(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t from = begin > kAround ? begin - kAround : 0;
  while (from > 0 && continues(text[from])) --from;
  std::size_t until = std::min({end + kAround, begin + kLength, text.size()});
  while (until < text.size() && continues(text[until])) ++until;
  if (from == until) return "nothing";
  return (from > 0 ? "…" : "") + one_line(text.substr(from, until - from)) + (until < text.size() ? "…" : "");
}

/// The directional marks, embeddings, overrides and isolates of Unicode.
bool turns_direction(std::string_view character) {
  constexpr std::array<std::string_view, 12> kTurning{"\u061C", "\u200E", "\u200F", "\u202A",
                                                      "\u202B", "\u202C", "\u202D", "\u202E",
                                                      "\u2066", "\u2067", "\u2068", "\u2069"};
  return std::find(kTurning.begin(), kTurning.end(), character) != kTurning.end();
}

/// "<U+202E>" of a character of two or three bytes.
std::string code_point_text(std::string_view character) {
  unsigned code = static_cast<unsigned char>(character[0]) & (character.size() == 2 ? 0x1FU : 0x0FU);
  for (const char c : character.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  return fmt::format("<U+{:04X}>", code);
}

/// Goes behind the number that `text` begins with. Returns false when it begins with none.
bool take_number(std::string_view& text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_character(text), 1);
    const std::string_view character = text.substr(0, length);
    const auto code = static_cast<unsigned char>(text.front());
    if (code == '\n') {
      shown += "⏎";
    } else if (code < 0x20 || code == 0x7F) {
      append_utf8(shown, code == 0x7F ? U'\u2421' : static_cast<char32_t>(0x2400 + code));
    } else if (code >= 0x80 && length == 1) {
      shown += "\uFFFD";
    } else if (turns_direction(character) ||
               (length == 2 && character >= "\u0080" && character <= "\u009F")) {
      shown += code_point_text(character);
    } else {
      shown += character;
    }
    text.remove_prefix(length);
  }
  return shown;
}

std::string text_change(std::string_view old_text, std::string_view new_text) {
  const std::size_t shorter = std::min(old_text.size(), new_text.size());
  std::size_t before = 0, behind = 0;
  while (before < shorter && old_text[before] == new_text[before]) ++before;
  while (behind < shorter - before &&
         old_text[old_text.size() - 1 - behind] == new_text[new_text.size() - 1 - behind])
    ++behind;
  return part(old_text, before, old_text.size() - behind) + " → " +
         part(new_text, before, new_text.size() - behind);
}

bool same_but_for_numbers(std::string_view old_text, std::string_view new_text, const Tolerance& tolerance) {
  while (!old_text.empty() && !new_text.empty()) {
    if (is_digit(old_text.front()) && is_digit(new_text.front())) {
      double old_number = 0, new_number = 0;
      if (!take_number(old_text, old_number) || !take_number(new_text, new_number)) return false;
      if (!close(old_number, new_number, tolerance)) return false;
    } else {
      if (old_text.front() != new_text.front()) return false;
      old_text.remove_prefix(1);
      new_text.remove_prefix(1);
    }
  }
  return old_text.empty() && new_text.empty();
}

}  // namespace lectern
