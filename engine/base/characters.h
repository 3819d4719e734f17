#pragma once

#include <string_view>

namespace lectern {

/// Locale-independent classes of ASCII characters. Other characters belong to none.

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Letters and the underscore: the start of a C++ name.
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// A character of a C++ name.
constexpr bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}

constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Printable, but neither a letter, a digit nor a blank.
constexpr bool is_punctuation(char c) {
  return c > ' ' && c <= '~' && (c == '_' || !is_word(c));
}

/// A view of the text without leading and trailing blanks.
constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

}  // namespace lectern
