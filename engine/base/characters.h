#pragma once

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

}  // namespace lectern
