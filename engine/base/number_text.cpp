#include "base/number_text.h"

#include <charconv>

namespace lectern {

std::string number_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace lectern
