#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json_text.h"
#include "base/utf8.h"

namespace lectern {

/// JSON text without memory allocation, so that signal handlers can write it too: sink(text) is called with
/// its pieces in order.

template <typename Sink>
void write_json_string(Sink&& sink, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  constexpr std::string_view kEscaped = "\"\\\n\t\r", kEscapes = "\"\\ntr";
  sink(std::string_view("\""));
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) continue;
    sink(text.substr(begin, i - begin));
    begin = i + 1;
    if (const std::size_t escape = kEscaped.find(text[i]); escape != std::string_view::npos) {
      const char short_form[] = {'\\', kEscapes[escape]};
      sink(std::string_view(short_form, sizeof short_form));
    } else {
      const char unicode[] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
      sink(std::string_view(unicode, sizeof unicode));
    }
  }
  sink(text.substr(begin));
  sink(std::string_view("\""));
}

/// A string as it stands, or {"bytes":…} in hexadecimal when it is not UTF-8.
template <typename Sink>
void write_json_text(Sink&& sink, std::string_view text) {
  if (valid_utf8(text)) return write_json_string(sink, text);
  constexpr char kHex[] = "0123456789abcdef";
  sink(std::string_view("{\"bytes\":\""));
  for (const char byte : text) {
    const auto c = static_cast<unsigned char>(byte);
    const char digits[] = {kHex[c >> 4], kHex[c & 15]};
    sink(std::string_view(digits, 2));
  }
  sink(std::string_view("\"}"));
}

/// The same as a std::string.
inline std::string json_text(std::string_view text) {
  std::string json;
  append_string_value(json, text);
  return json;
}

}  // namespace lectern
