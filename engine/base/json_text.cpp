#include "base/json_text.h"

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

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

template <typename T>
void append_number(std::string& out, T value) {
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, result.ptr);
}

template <typename T>
void append_floating(std::string& out, T value) {
  if (std::isnan(value)) {
    out += R"({"float":"nan"})";
  } else if (std::isinf(value)) {
    out += value > 0 ? R"({"float":"inf"})" : R"({"float":"-inf"})";
  } else {
    const std::size_t start = out.size();
    append_number(out, value);
    if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
  }
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
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  out += R"("})";
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

}  // namespace lectern
