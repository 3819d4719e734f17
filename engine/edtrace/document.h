#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/decode.h"

namespace lectern {

/// Parses JSON as Python's json module writes it, with NaN, Infinity and integers of any size. An integer
/// that does not fit into 64 bits becomes a binary value that holds its digits. Throws Error naming file and
/// line.
Json read_document(std::string_view text, const std::string& name);

/// Whether the text begins as edtrace's traces do: an object in which "files" or "steps" comes before any
/// "format".
bool is_edtrace(std::string_view text);

/// Replaces the values NaN, Infinity and -Infinity by {"float":"nan"}, {"float":"inf"} and {"float":"-inf"},
/// which any parser takes. Line numbers stay the same.
std::string with_valid_numbers(std::string_view text);

/// A member of an object; null if there is none.
const Json& part(const Json& json, const char* name);

/// The value of "nan", "inf" or "-inf".
std::optional<double> special_float(std::string_view name);

/// The digits of an integer that does not fit into 64 bits.
std::optional<std::string> long_integer(const Json& json);

/// Any number as a double.
std::optional<double> as_double(const Json& json);

/// For readers that know nothing of this: long integers become doubles. (Dumped, NaN and infinities are
/// null.)
Json plain_json(Json json);

}  // namespace lectern
