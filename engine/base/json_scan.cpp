#include "base/json_scan.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/json_text.h"

namespace lectern {
namespace {

/// Bytes that stand for themselves in a string.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t i = 0x20; i < 0x80; ++i) plain[i] = i != '"' && i != '\\';
  return plain;
}();

}  // namespace

bool JsonScanner::value(int depth) {
  if (depth > kMaxDepth) return wrong("nested too deeply");
  switch (peek()) {
    case '{':
      return object([&](std::string_view) { return value(depth + 1); });
    case '[':
      return array([&] { return value(depth + 1); });
    case '"':
      return string();
    case 't':
      return word("true");
    case 'f':
      return word("false");
    case 'n':
      return word("null");
    default:
      return number();
  }
}

bool JsonScanner::string() {
  const std::size_t begin = at_ + 1;
  if (!take('"')) return wrong("a string expected");
  for (;;) {
    while (at_ < text_.size() && kPlain[static_cast<unsigned char>(text_[at_])]) ++at_;
    if (at_ >= text_.size()) return wrong("a string without its closing quote");
    const char c = text_[at_];
    if (c == '"') {
      raw_ = text_.substr(begin, at_ - begin);
      return ++at_, true;
    }
    if (c == '\\') {
      if (!escape()) return false;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      return wrong("a control character in a string");
    } else {
      const std::size_t length = utf8_character(text_.substr(at_, 4));
      if (length == 0) {
        ended_ = text_.size() - at_ < 4;  // the first bytes of a character, maybe
        return wrong("not UTF-8");
      }
      at_ += length;
    }
  }
}

bool JsonScanner::escape() {
  ++at_;
  if (take('u')) {
    for (int i = 0; i < 4; ++i, ++at_) {
      if (std::string_view("0123456789abcdefABCDEF").find(peek()) == std::string_view::npos) {
        return wrong("four hexadecimal digits expected after \\u");
      }
    }
    return true;
  }
  if (std::string_view("\"\\/bfnrt").find(peek()) == std::string_view::npos) {
    return wrong("an unknown escape in a string");
  }
  return ++at_, true;
}

bool JsonScanner::number() {
  take('-');
  if (!digit()) return wrong("a value expected");
  if (!take('0')) digits();
  if (take('.')) {
    if (!digit()) return wrong("a digit expected");
    digits();
  }
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!digit()) return wrong("a digit expected");
    digits();
  }
  return true;
}

bool JsonScanner::word(std::string_view expected) {
  const std::string_view found = text_.substr(at_, expected.size());
  if (found != expected) {
    ended_ = at_ + found.size() == text_.size() && expected.substr(0, found.size()) == found;
    return wrong("a value expected");
  }
  at_ += expected.size();
  return true;
}

std::string json_error(std::string_view text) {
  JsonScanner scanner(text);
  scanner.blanks();
  const char* problem = "";
  if (!scanner.value()) {
    problem = scanner.problem();
  } else {
    scanner.blanks();
    if (scanner.position() == text.size()) return {};
    problem = "text after the end of the value";
  }
  const std::string_view before = text.substr(0, scanner.position());
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + problem;
}

}  // namespace lectern
