#pragma once

#include <charconv>
#include <string>

namespace lectern {

/// The shortest text that reads back as the same number, "0.1", "7", "1e+30", "nan".
inline std::string number_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace lectern
