#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lectern {

bool valid_utf8(std::string_view text);

/// Length in bytes of the well-formed character that `text` begins with; 0 if there is none.
std::size_t utf8_character(std::string_view text);

/// The code point of a well-formed character.
char32_t utf8_code_point(std::string_view character);

/// Whether it is a letter or a digit of any script.
bool is_letter_or_digit(char32_t code_point);

/// The longest prefix of `text` of at most `limit` bytes that does not split a character.
std::string_view utf8_prefix(std::string_view text, std::size_t limit);

/// The character that `text` begins with, or the byte where it is not well-formed; `text` is not empty.
std::string_view next_character(std::string_view text);

std::size_t character_count(std::string_view text);
std::string_view first_characters(std::string_view text, std::size_t count);

/// Appends a code point; an invalid one (a lone surrogate, beyond U+10FFFF) as U+FFFD.
void append_utf8(std::string& out, char32_t code_point);

}  // namespace lectern
