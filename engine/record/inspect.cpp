#include "record/inspect.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <sstream>

#include "base/json_text.h"
#include "base/utf8.h"

namespace lectern {
namespace values {

void write_wide(ValueWriter& out, std::u16string_view text) {
  std::string utf8;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t unit = text[i];
    const bool high = unit >= 0xD800 && unit < 0xDC00;
    if (high && i + 1 < text.size() && text[i + 1] >= 0xDC00 && text[i + 1] < 0xE000) {
      append_utf8(utf8, 0x10000 + ((unit - 0xD800) << 10) + (text[++i] - 0xDC00u));
    } else {
      append_utf8(utf8, unit);
    }
  }
  out.string(utf8);
}

void write_wide(ValueWriter& out, std::u32string_view text) {
  std::string utf8;
  for (const char32_t code_point : text) append_utf8(utf8, code_point);
  out.string(utf8);
}

void write_character(ValueWriter& out, char32_t code_point) {
  std::string utf8;
  append_utf8(utf8, code_point);
  out.string(utf8);
}

void write_int128(ValueWriter& out, std::string_view type, bool negative, UInt128 magnitude) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(magnitude % 10));
    magnitude /= 10;
  } while (magnitude != 0);
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  out.text(type, digits);
}

void write_duration(ValueWriter& out, std::string_view type, double count, long numerator, long denominator) {
  char number[40];
  const auto end = std::to_chars(number, number + sizeof number, count);
  std::string text(number, end.ptr);
  const auto is = [&](long n, long d) { return numerator == n && denominator == d; };
  if (is(1, 1'000'000'000)) {
    text += "ns";
  } else if (is(1, 1'000'000)) {
    text += "us";
  } else if (is(1, 1000)) {
    text += "ms";
  } else if (is(1, 1)) {
    text += "s";
  } else if (is(60, 1)) {
    text += "min";
  } else if (is(3600, 1)) {
    text += "h";
  } else {
    text += " x " + std::to_string(numerator) + "/" + std::to_string(denominator) + " s";
  }
  out.text(type, text);
}

/// A value at the top level of a variable says its type.
std::string with_type(std::string json, std::string_view type) {
  const std::string_view text = json;
  if (text.starts_with(R"({"type":)") || text.starts_with(R"({"id":)")) return json;
  std::string typed = R"({"type":)";
  append_json_string(typed, type);
  if (text.starts_with(R"({"value":)")) return typed + "," + json.substr(1);
  return typed + R"(,"value":)" + json + "}";
}

std::string thrown_text(std::string_view type) {
  std::string what = "(an exception was thrown while this was shown)";
  try {
    throw;
  } catch (const std::exception& error) {
    what = std::string("(thrown while this was shown: ") + error.what() + ")";
  } catch (...) {
  }
  std::string json;
  ValueWriter(json).text(type, what);
  return json;
}

struct TextStream::Implementation {
  std::ostringstream stream;
};
TextStream::TextStream() : implementation_(new Implementation) {}
TextStream::~TextStream() {
  delete implementation_;
}
std::ostream& TextStream::stream() {
  return implementation_->stream;
}
std::string TextStream::text() const {
  return implementation_->stream.str();
}

FieldNames::FieldNames(std::string_view type, std::size_t count) {
  const char* names = record::fields_of(without_arguments(type));
  if (names == nullptr) return;
  rest_ = names;
  const auto blanks = static_cast<std::size_t>(std::count(rest_.begin(), rest_.end(), ' '));
  if (blanks + 1 != count) rest_ = {};
}

std::string_view FieldNames::next() {
  const std::size_t blank = rest_.find(' ');
  const std::string_view name = rest_.substr(0, blank);
  rest_ = blank == std::string_view::npos ? std::string_view{} : rest_.substr(blank + 1);
  return name;
}

}  // namespace values

namespace enumerators {

std::string_view entry(std::string_view list, int index) {
  // g++: "… [with Enum = Color; Enum ...Values = {Color::red, (Color)2}; …]"; clang++: "… Values =
  // <Color::red, …>]".
  list.remove_prefix(std::min(list.size(), list.find("Values = ") + 10));
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    const bool opens = c == '(' || c == '<' || c == '{';
    const bool closes = c == ')' || c == '>' || c == '}';
    if (opens) ++depth;
    if (depth == 0 && (c == ',' || closes)) {
      if (index-- == 0) {
        std::string_view name = list.substr(begin, i - begin);
        if (name.front() == '(' || name.front() == '-' || (name.front() >= '0' && name.front() <= '9'))
          return {};
        const std::size_t colons = name.rfind("::");
        return colons == std::string_view::npos ? name : name.substr(colons + 2);
      }
      if (closes) return {};
      begin = i + 2;
    } else if (closes) {
      --depth;
    }
  }
  return {};
}

}  // namespace enumerators
}  // namespace lectern
