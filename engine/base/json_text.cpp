#include "base/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace lectern {
namespace {

constexpr char kHex[] = "0123456789abcdef";

/// What a byte needs: 0 nothing, 1 an escape, 2 a look at the character that it begins.
constexpr std::array<unsigned char, 256> kNeeds = [] {
  std::array<unsigned char, 256> needs{};
  for (std::size_t i = 0; i < 0x20; ++i) needs[i] = 1;
  needs['"'] = needs['\\'] = needs[0x7F] = 1;
  for (std::size_t i = 0x80; i < 256; ++i) needs[i] = 2;
  return needs;
}();

void append_hexadecimal(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  out += {kHex[byte >> 4], kHex[byte & 15]};
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kEscaped = "\"\\\n\t\r\b\f", kLetters = "\"\\ntrbf";
  if (const std::size_t at = kEscaped.find(c); at != std::string_view::npos) {
    out += {'\\', kLetters[at]};
  } else {
    out += "\\u00";
    append_hexadecimal(out, c);
  }
}

template <typename T>
void append_number(std::string& out, T value) {
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, result.ptr);
}

char* put(char* at, std::string_view text) {
  return std::copy(text.begin(), text.end(), at);
}

template <typename T>
char* put_floating(char* at, T value) {
  if (std::isnan(value)) return put(at, R"({"float":"nan"})");
  if (std::isinf(value)) return put(at, value > 0 ? R"({"float":"inf"})" : R"({"float":"-inf"})");
  char* const end = std::to_chars(at, at + kRealLength, value).ptr;
  const bool whole = value == std::trunc(value);
  const bool plain = whole && std::none_of(at, end, [](char c) { return c == '.' || c == 'e'; });
  return plain ? put(end, ".0") : end;
}

template <typename T>
void append_floating(std::string& out, T value) {
  char buffer[kRealLength];
  out.append(buffer, put_floating(buffer, value));
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;
  std::size_t i = 0;
  const auto copy = [&](std::size_t end) { out.append(text.data() + copied, end - copied); };
  while (i < text.size()) {
    const unsigned char needs = kNeeds[static_cast<unsigned char>(text[i])];
    if (needs == 0) {
      ++i;
      continue;
    }
    if (needs == 2) {
      if (const std::size_t length = utf8_character(text.substr(i)); length > 0) {
        i += length;
        continue;
      }
    }
    copy(i);
    if (needs == 1) {
      append_escape(out, text[i]);
    } else {
      out += "\xEF\xBF\xBD";
    }
    copied = ++i;
  }
  copy(text.size());
  out += '"';
}

void append_string_value(std::string& out, std::string_view text) {
  if (valid_utf8(text)) return append_json_string(out, text);
  out += R"({"bytes":")";
  for (const char c : text) append_hexadecimal(out, c);
  out += R"("})";
}

std::string from_hexadecimal(std::string_view digits) {
  std::string out;
  for (; digits.size() >= 2; digits.remove_prefix(2)) {
    unsigned byte = 0;
    if (std::from_chars(digits.data(), digits.data() + 2, byte, 16).ptr != digits.data() + 2) break;
    out += static_cast<char>(byte);
  }
  return out;
}

void append_integer(std::string& out, std::int64_t value) {
  append_number(out, value);
}
void append_unsigned(std::string& out, std::uint64_t value) {
  append_number(out, value);
}
void append_real(std::string& out, double value) {
  append_floating(out, value);
}
void append_real(std::string& out, float value) {
  append_floating(out, value);
}
char* put_real(char* at, double value) {
  return put_floating(at, value);
}
char* put_real(char* at, float value) {
  return put_floating(at, value);
}

std::string parser_message(int id, std::string what) {
  if (id == 406) return "a number beyond the range of a double";
  // "[json.exception.parse_error.101] parse error at line 1, column 3: syntax error while …"
  if (const std::size_t colon = what.find(": "); colon != std::string::npos) what.erase(0, colon + 2);
  if (const std::size_t reason = what.find(" - "); reason != std::string::npos) what.erase(0, reason + 3);
  if (const std::size_t token = what.find("; last read:"); token != std::string::npos) what.erase(token);
  return what;
}

}  // namespace lectern
