#include "base/path_url.h"

#include "base/characters.h"

namespace lectern {
namespace {

bool plain(char c) {
  return is_word(c) || std::string_view("/-.~").find(c) != std::string_view::npos;
}

}  // namespace

std::string path_url(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    if (plain(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

}  // namespace lectern
