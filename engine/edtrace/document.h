#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/decode.h"

namespace lectern {

/// Reads a document as Python's json module writes it: NaN and infinities are numbers, and integers that 64
/// bits cannot hold are binary values, their digits (long_integer). Throws Error naming file and line.
Json read_document(std::string_view text, const std::string& name);

/// Whether the text begins as an edtrace trace does: an object with "files" or "steps", and no "format"
/// before.
bool is_edtrace(std::string_view text);

/// NaN, Infinity and -Infinity as values become {"float":"nan"}, {"float":"inf"} and {"float":"-inf"}. Line
/// numbers stay the same.
std::string with_valid_numbers(std::string_view text);

/// The member of an object; null where there is none.
const Json& part(const Json& json, const char* name);

/// Of "nan", "inf" and "-inf".
std::optional<double> special_float(std::string_view name);

/// The digits of an integer that 64 bits cannot hold.
std::optional<std::string> long_integer(const Json& json);

/// Any value as a double, if it is a number.
std::optional<double> as_double(const Json& json);

/// As any reader takes it: long integers are doubles, and written NaN and infinities are null.
Json plain_json(Json json);

}  // namespace lectern
