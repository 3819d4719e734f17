#include "site/ascii.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "base/utf8.h"

namespace lectern {
namespace {

constexpr std::size_t kFew = 16;            // one in so many bytes
constexpr unsigned kFirstReference = 0xA0;  // below, HTML takes them for characters of Windows-1252

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

}  // namespace

std::string with_references(std::string html) {
  const auto beyond = html.size() - static_cast<std::size_t>(std::ranges::count_if(html, is_ascii));
  if (beyond == 0 || beyond > html.size() / kFew) return html;
  std::string out;
  out.reserve(html.size() + 3 * beyond);
  for (std::size_t at = 0; at < html.size();) {
    if (is_ascii(html[at])) {
      out += html[at++];
      continue;
    }
    const std::string_view character = std::string_view(html).substr(at);
    const std::size_t length = utf8_character(character);
    if (length == 0) return html;
    const auto code = static_cast<unsigned>(utf8_code_point(character.substr(0, length)));
    if (code < kFirstReference) return html;
    fmt::format_to(std::back_inserter(out), "&#{};", code);
    at += length;
  }
  return out;
}

}  // namespace lectern
