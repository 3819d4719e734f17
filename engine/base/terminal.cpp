#include "base/terminal.h"

#include <algorithm>
#include <cstddef>

#include "base/html.h"
#include "base/utf8.h"

namespace lectern {
namespace {

constexpr char kEscape = '\x1B', kBell = '\a';

bool between(char c, char low, char high) {
  return low <= c && c <= high;
}

/// Length of the ECMA-48 escape sequence at the start of `text`; an unterminated one extends to the end of
/// its line.
std::size_t sequence_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  std::size_t at = 1;
  if (text[1] == '[') {  // parameters, then a final character
    for (at = 2; at < text.size() && between(text[at], ' ', '?');) ++at;
    return at < text.size() && between(text[at], '@', '~') ? at + 1 : at;
  }
  if (std::string_view("]PX^_").find(text[1]) !=
      std::string_view::npos) {  // a string, then BEL or ESC and a backslash
    for (at = 2; at < text.size() && text[at] != '\n'; ++at) {
      if (text[at] == kBell) return at + 1;
      if (text[at] == kEscape) return text.substr(at + 1).starts_with('\\') ? at + 2 : at;
    }
    return at;
  }
  while (at < text.size() && between(text[at], ' ', '/')) ++at;
  return at < text.size() && between(text[at], '0', '~') ? at + 1 : at;
}

}  // namespace

std::string without_terminal_codes(std::string_view text) {
  std::string out;
  std::size_t line = 0;   // where it begins in `out`
  bool returned = false;  // to the start of the line; what follows overwrites it
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = 1;
    if (c == kEscape) {
      length = sequence_length(text);
    } else if (c == '\n') {
      out += c;
      line = out.size();
      returned = false;
    } else if (c == '\r') {
      returned = true;
    } else if (c == '\t' || (!between(c, '\0', '\x1F') && c != '\x7F')) {
      if (returned) out.resize(line);
      returned = false;
      out += c;
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    const char c = text.front();
    if (c == '\n' || c == '\t' || c == '\r') {
      shown += c == '\n' ? "⏎" : c == '\t' ? "␉" : "␍";
    } else if (length == 0) {
      shown += "\uFFFD";
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return with_pictures(shown);
}

}  // namespace lectern
