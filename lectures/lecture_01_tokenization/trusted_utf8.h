// Decodes what is UTF-8 for certain. The lecture's own decoder refuses anything else, by an exception, which a
// calculator
// cannot.  @hide file

#pragma once

#include <algorithm>
#include <string_view>

#include "pieces.h"

inline Decoded first_code_point(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code_point = length == 1 ? lead : lead & (0x7Fu >> length);
  for (const char byte : bytes.substr(1, length - 1))
    code_point = code_point << 6 | (static_cast<unsigned char>(byte) & 0x3Fu);
  return {code_point, std::min(length, bytes.size())};
}
