#pragma once

#include <string>

#include "trace/decode.h"

namespace lectern {

/// A value of a trace (traces/README.md, "Values") as a reader sees it.
struct ShownValue {
  std::string type;  ///< short: without std:: and default arguments
  std::string text;  ///< one line of plain text, for a chip
  std::string html;  ///< for the panel
};

ShownValue show_value(const Json& value);

/// The bytes of a string value: as text, or in hexadecimal where they are not UTF-8.
std::string string_bytes(const Json& value);

/// One line of at most `limit` characters.
std::string value_text(const Json& value, std::size_t limit = 48);

/// A value inside other HTML.
std::string value_html(const Json& value);

/// "std::vector<int, std::allocator<int> >" → "vector<int>".
std::string short_type(std::string_view type);

}  // namespace lectern
