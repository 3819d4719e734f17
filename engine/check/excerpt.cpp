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

struct Number {
  std::string_view text;
  double value = 0;
  bool fits = true;  ///< into a double
};

/// A minus after a word joins, as in 3-4 or float-32.
bool begins_number(std::string_view text, bool after_word) {
  return is_digit(text.front()) ||
         (!after_word && text.front() == '-' && text.size() > 1 && is_digit(text[1]));
}

/// Takes the number off the front of `text`.
Number take_number(std::string_view& text) {
  Number number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  number.fits = error == std::errc();
  number.text = text.substr(0, static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(number.text.size());
  return number;
}

bool are_close(const Number& before, const Number& now, const Tolerance& tolerance) {
  return before.fits && now.fits ? is_close(before.value, now.value, tolerance) : before.text == now.text;
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
  bool after_word = false;
  while (!old_text.empty() && !new_text.empty()) {
    if (begins_number(old_text, after_word) && begins_number(new_text, after_word)) {
      const Number before = take_number(old_text), now = take_number(new_text);
      if (!are_close(before, now, tolerance)) return false;
      after_word = true;
    } else {
      if (old_text.front() != new_text.front()) return false;
      after_word = is_word(old_text.front());
      old_text.remove_prefix(1);
      new_text.remove_prefix(1);
    }
  }
  return old_text.empty() && new_text.empty();
}

}  // namespace lectern
