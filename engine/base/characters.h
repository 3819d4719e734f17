#pragma once

namespace lectern {

/// Kinds of ASCII characters, whatever the locale. The bytes of other characters are of no kind.

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Letters and the underscore: what a C++ name begins with.
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// What a C++ name consists of.
constexpr bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}

constexpr bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace lectern
