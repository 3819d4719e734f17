#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace lectern {

/// JSON as a stream of text, for the parts that run inside a lecture: no document objects, no allocation but
/// `out`'s.

/// "text" with its quotes. The result is valid JSON on one line whatever `text` holds: ill-formed UTF-8
/// becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// A string value of a trace: a JSON string, or {"bytes":"e4bd"} when `text` is not UTF-8.
void append_string_value(std::string& out, std::string_view text);

/// The bytes that hexadecimal digits encode, up to a non-digit.
std::string from_hexadecimal(std::string_view digits);

void append_integer(std::string& out, std::int64_t value);
void append_unsigned(std::string& out, std::uint64_t value);

/// Shortest text that reads back as the same value of its type, always with a point or an exponent; NaN and
/// infinities as {"float":"nan"}, {"float":"inf"}, {"float":"-inf"}.
void append_real(std::string& out, double value);
void append_real(std::string& out, float value);
/// The same, to a buffer with room for kRealLength bytes. Returns the end.
inline constexpr std::size_t kRealLength = 32;
char* put_real(char* at, double value);
char* put_real(char* at, float value);

/// What nlohmann's parser says in an exception of this number, without where it says it.
std::string parser_message(int id, std::string what);

}  // namespace lectern
