#include "check/excerpt.h"

#include <algorithm>
#include <charconv>

#include "base/characters.h"
#include "base/terminal.h"

namespace lectern {
namespace {

constexpr std::size_t kAround = 20, kLength = 60;

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The part of a text that differs, from `begin` to `end`, with some context.
std::string excerpt(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t from = begin > kAround ? begin - kAround : 0;
  while (from > 0 && continues(text[from])) --from;
  std::size_t until = std::min({end + kAround, begin + kLength, text.size()});
  while (until < text.size() && continues(text[until])) ++until;
  if (from == until) return "nothing";
  return (from > 0 ? "…" : "") + one_line(text.substr(from, until - from)) + (until < text.size() ? "…" : "");
}

/// Takes the number off the front of `text`. Returns false if there is none.
bool take_number(std::string_view& text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::string text_change(std::string_view old_text, std::string_view new_text) {
  const std::size_t shorter = std::min(old_text.size(), new_text.size());
  std::size_t prefix = 0, suffix = 0;
  while (prefix < shorter && old_text[prefix] == new_text[prefix]) ++prefix;
  while (suffix < shorter - prefix &&
         old_text[old_text.size() - 1 - suffix] == new_text[new_text.size() - 1 - suffix])
    ++suffix;
  return excerpt(old_text, prefix, old_text.size() - suffix) + " → " +
         excerpt(new_text, prefix, new_text.size() - suffix);
}

bool same_but_for_numbers(std::string_view old_text, std::string_view new_text, const Tolerance& tolerance) {
  while (!old_text.empty() && !new_text.empty()) {
    if (is_digit(old_text.front()) && is_digit(new_text.front())) {
      double old_number = 0, new_number = 0;
      if (!take_number(old_text, old_number) || !take_number(new_text, new_number)) return false;
      if (!is_close(old_number, new_number, tolerance)) return false;
    } else {
      if (old_text.front() != new_text.front()) return false;
      old_text.remove_prefix(1);
      new_text.remove_prefix(1);
    }
  }
  return old_text.empty() && new_text.empty();
}

}  // namespace lectern
