#include "base/json_scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
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
        ended_ = text_.size() - at_ < 4;  // perhaps a truncated character
        return wrong("not UTF-8");
      }
      at_ += length;
    }
  }
}

bool JsonScanner::escape() {
  ++at_;
  if (take('u')) {
    unsigned first = 0, second = 0;
    if (!code_unit(first)) return false;
    if (first < 0xD800 || first > 0xDFFF) return true;
    const bool pair = first < 0xDC00 && take('\\') && take('u');
    if (!pair) return wrong("half of a surrogate pair in a string");
    if (!code_unit(second)) return false;
    return (second >= 0xDC00 && second <= 0xDFFF) || wrong("half of a surrogate pair in a string");
  }
  if (std::string_view("\"\\/bfnrt").find(peek()) == std::string_view::npos) {
    return wrong("an unknown escape in a string");
  }
  return ++at_, true;
}

bool JsonScanner::code_unit(unsigned& unit) {
  const std::string_view digits = text_.substr(at_, 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  at_ += static_cast<std::size_t>(end - digits.data());
  return (error == std::errc() && end == digits.data() + 4) ||
         wrong("four hexadecimal digits expected after \\u");
}

bool JsonScanner::number() {
  const std::size_t begin = at_;
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
  // Most are short and have no exponent, or a small one.
  constexpr std::size_t kAlwaysFinite = 20;
  if (at_ - begin <= kAlwaysFinite &&
      text_.substr(begin, at_ - begin).find_first_of("eE") == std::string_view::npos)
    return true;
  return std::isfinite(std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr)) ||
         wrong("a number too large for any program");
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

}  // namespace lectern
