#include "instrument/c_literal.h"

#include <fmt/format.h>

namespace lectern {

std::string c_literal(std::string_view bytes) {
  std::string literal = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {  // ? because of trigraphs
      literal += '\\';
      literal += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      literal += fmt::format("\\{:03o}", byte);
    } else {
      literal += c;
    }
  }
  return literal + '"';
}

}  // namespace lectern
