// How GPT-2's regular expression cuts a text into pieces: for the lecture, and for its calculator.

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

struct Decoded {
  char32_t code_point;
  std::size_t length;  // in bytes
};
Decoded first_code_point(std::string_view bytes);

enum class CharacterClass { letter, number, space, other };
CharacterClass class_of(char32_t code_point);

std::size_t piece_length(std::string_view text);
std::size_t contraction_length(std::string_view text);
std::size_t run_length(std::string_view text, CharacterClass wanted);

inline std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t length = piece_length(text);
    pieces.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return pieces;
}

inline std::size_t piece_length(std::string_view text) {
  const std::size_t contraction = contraction_length(text);  // @stepover
  if (contraction > 0) return contraction;

  const std::size_t space = text.starts_with(' ') ? 1 : 0;  // @inspect space
  const std::string_view rest = text.substr(space);
  if (!rest.empty()) {
    const CharacterClass first = class_of(first_code_point(rest).code_point);  // @stepover @inspect first
    if (first != CharacterClass::space) {
      return space + run_length(rest, first);  // @stepover
    }
  }
  const std::size_t run = run_length(text, CharacterClass::space);  // @stepover
  const bool leave_one = run > 1 && run < text.size();
  return leave_one ? run - 1 : run;
}

inline std::size_t contraction_length(std::string_view text) {
  for (const std::string_view ending : {"'s", "'d", "'m", "'t", "'ll", "'ve", "'re"}) {
    if (text.starts_with(ending)) return ending.size();
  }
  return 0;
}

inline std::size_t run_length(std::string_view text, CharacterClass wanted) {
  std::size_t length = 0;
  while (length < text.size()) {
    const Decoded next = first_code_point(text.substr(length));
    if (class_of(next.code_point) != wanted) break;
    length += next.length;
  }
  return length;
}

struct CodePointRange {
  char32_t first;
  char32_t last;
};

inline constexpr CodePointRange kLetters[] = {
    {'A', 'Z'},       {'a', 'z'},       {0xAA, 0xAA},     {0xB5, 0xB5},        // ASCII, Latin-1
    {0xBA, 0xBA},     {0xC0, 0xD6},     {0xD8, 0xF6},     {0xF8, 0x2C1},       // Latin
    {0x370, 0x373},   {0x376, 0x377},   {0x37B, 0x37D},   {0x386, 0x386},      // Greek
    {0x388, 0x38A},   {0x38C, 0x38C},   {0x38E, 0x3A1},   {0x3A3, 0x3F5},      //
    {0x3F7, 0x3FF},   {0x400, 0x481},   {0x48A, 0x52F},                        // Cyrillic
    {0x5D0, 0x5EA},   {0x620, 0x64A},   {0x671, 0x6D3},                        // Hebrew, Arabic
    {0x1E00, 0x1EFF},                                                          // Latin with several marks
    {0x3005, 0x3006}, {0x3041, 0x3096}, {0x309D, 0x309F}, {0x30A1, 0x30FA},    // kana
    {0x30FC, 0x30FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0x20000, 0x2A6DF},  // Chinese characters
    {0xAC00, 0xD7A3}, {0xFF21, 0xFF3A}, {0xFF41, 0xFF5A},                      // Hangul, full-width Latin
};
inline constexpr CodePointRange kNumbers[] = {
    {'0', '9'},       {0xB2, 0xB3},     {0xB9, 0xB9},     {0xBC, 0xBE},     {0x660, 0x669},
    {0x6F0, 0x6F9},   {0x2070, 0x2070}, {0x2074, 0x2079}, {0x2080, 0x2089}, {0x2150, 0x2182},
    {0x2460, 0x249B}, {0x3007, 0x3007}, {0xFF10, 0xFF19},
};
inline constexpr CodePointRange kSpaces[] = {
    {0x9, 0xD},       {' ', ' '},       {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
    {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000},
};

template <std::size_t N>
bool contains(const CodePointRange (&ranges)[N], char32_t code_point) {
  for (const CodePointRange& range : ranges) {
    if (range.first <= code_point && code_point <= range.last) return true;
  }
  return false;
}

inline CharacterClass class_of(char32_t code_point) {
  if (code_point == ' ') return CharacterClass::space;  // the most frequent of all
  if (contains(kLetters, code_point)) return CharacterClass::letter;
  if (contains(kNumbers, code_point)) return CharacterClass::number;
  if (contains(kSpaces, code_point)) return CharacterClass::space;
  return CharacterClass::other;
}
