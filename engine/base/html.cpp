#include "base/html.h"

#include <algorithm>
#include <array>

#include "base/characters.h"
#include "base/utf8.h"

namespace lectern {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

/// How HTML writes characters that have a meaning in it.
constexpr std::array<std::pair<std::string_view, char>, 4> kEntities = {
    {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}}};

/// What stands for a control character that would not be seen: one that turns the direction of the text
/// around it (embeddings, overrides, isolates), and those of terminals. Empty for every other character.
std::string control_picture(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character == "\t" || character == "\n" || character == "\r") return {};
  if (first < 0x20 || first == 0x7F) {
    std::string picture;
    append_utf8(picture, first == 0x7F ? 0x2421 : 0x2400 + char32_t{first});
    return picture;
  }
  if (first == 0xC2 && character.size() == 2 && static_cast<unsigned char>(character[1]) < 0xA0)
    return std::string("\\u{") + kHexDigits[static_cast<unsigned char>(character[1]) >> 4] +
           kHexDigits[character[1] & 15] + "}";
  const bool embeds = character >= "\u202A" && character <= "\u202E";
  const bool isolates = character >= "\u2066" && character <= "\u2069";
  if (!embeds && !isolates) return {};
  return std::string(embeds ? "\\u{202" : "\\u{206") + kHexDigits[character[2] & 15] + "}";
}

/// Whether a character that begins so may have a picture.
bool may_have_picture(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xE2;
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    const char c = text.front();
    const auto* const entity =
        std::find_if(kEntities.begin(), kEntities.end(), [c](const auto& e) { return e.second == c; });
    if (length == 0 || c == '\0') {
      out += kReplacement;
    } else if (entity != kEntities.end()) {
      out += entity->first;
    } else {
      const std::string picture =
          may_have_picture(c) ? control_picture(text.substr(0, length)) : std::string();
      out += picture.empty() ? text.substr(0, length) : picture;
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

std::string with_pictures(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_character(text), 1);
    const std::string picture =
        may_have_picture(text.front()) ? control_picture(text.substr(0, length)) : std::string();
    out += picture.empty() ? text.substr(0, length) : picture;
    text.remove_prefix(length);
  }
  return out;
}

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_escaped(out, text);
  return out;
}

bool safe_link(std::string_view url) {
  // Browsers drop blanks and control characters before they look for the scheme, so none is allowed before
  // one.
  std::string scheme;
  for (const char c : url) {
    if (static_cast<unsigned char>(c) <= ' ') return false;
    if (c == ':') return scheme == "http" || scheme == "https" || scheme == "mailto";
    if (c == '/' || c == '?' || c == '#') break;
    scheme += to_lower(c);
  }
  // No scheme: a relative link, but neither another host's nor the root of the disk.
  return !url.starts_with("/") && !url.starts_with("\\") && url.find('\\') == std::string_view::npos;
}

bool is_web_address(std::string_view url) {
  std::string scheme(url.substr(0, url.find("://")));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(), to_lower);
  return scheme.size() < url.size() && (scheme == "http" || scheme == "https") && safe_link(url);
}

std::size_t line_break_length(std::string_view text) {
  if (text.size() < 4 || text[0] != '<' || to_lower(text[1]) != 'b' || to_lower(text[2]) != 'r') return 0;
  std::size_t end = std::min(text.find_first_not_of(' ', 3), text.size());
  if (text.substr(end).starts_with('/')) ++end;
  return text.substr(end).starts_with('>') ? end + 1 : 0;
}

std::string html_to_text(std::string_view html) {
  std::string out;
  while (!html.empty()) {
    if (html.front() == '<') {
      const std::size_t end = html.find('>');
      html.remove_prefix(end == std::string_view::npos ? html.size() : end + 1);
      continue;
    }
    const auto* const entity = std::find_if(kEntities.begin(), kEntities.end(),
                                            [&](const auto& e) { return html.starts_with(e.first); });
    if (entity != kEntities.end()) {
      out += entity->second;
      html.remove_prefix(entity->first.size());
    } else {
      out += html.front();
      html.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace lectern
