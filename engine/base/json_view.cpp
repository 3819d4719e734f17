#include "base/json_view.h"

#include <algorithm>
#include <charconv>

#include "base/json_scan.h"
#include "base/utf8.h"

namespace lectern {
namespace {

/// The code unit of `\uXXXX` at `at`; above all of them if there is none.
char32_t code_unit(std::string_view raw, std::size_t at) {
  constexpr char32_t kNone = 0x110000;
  if (raw.substr(at, 2) != "\\u" || raw.size() < at + 6) return kNone;
  unsigned unit = 0;
  const char* const digits = raw.data() + at + 2;
  return std::from_chars(digits, digits + 4, unit, 16).ptr == digits + 4 ? char32_t{unit} : kNone;
}

char plain_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

}  // namespace

std::vector<JsonMember> json_members(std::string_view object) {
  std::vector<JsonMember> members;
  JsonScanner scan(object);
  if (scan.peek() != '{') return members;
  scan.object([&](std::string_view name) {
    const std::size_t begin = scan.position();
    if (!scan.value()) return false;
    members.push_back({name, object.substr(begin, scan.position() - begin)});
    return true;
  });
  return members;
}

std::string_view json_member(const std::vector<JsonMember>& members, std::string_view name) {
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    if (member->name == name) return member->value == "null" ? std::string_view() : member->value;
  }
  return {};
}

std::vector<std::string_view> json_elements(std::string_view array) {
  std::vector<std::string_view> elements;
  JsonScanner scan(array);
  if (scan.peek() != '[') return elements;
  scan.array([&] {
    const std::size_t begin = scan.position();
    if (!scan.value()) return false;
    elements.push_back(array.substr(begin, scan.position() - begin));
    return true;
  });
  return elements;
}

std::string json_string(std::string_view value) {
  if (value.size() < 2 || value.front() != '"') return {};
  return json_unescaped(value.substr(1, value.size() - 2));
}

std::string json_unescaped(std::string_view raw) {
  std::string text;
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t escape = std::min(raw.find('\\', at), raw.size());
    text.append(raw.substr(at, escape - at));
    at = escape;
    if (at + 1 >= raw.size()) break;
    if (raw[at + 1] != 'u') {
      text += plain_escape(raw[at + 1]);
      at += 2;
      continue;
    }
    char32_t code_point = code_unit(raw, at);
    at += 6;
    const char32_t low = code_unit(raw, at);
    if (code_point >= 0xD800 && code_point < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
      code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
      at += 6;
    }
    append_utf8(text, code_point);
  }
  return text;
}

}  // namespace lectern
