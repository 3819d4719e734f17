#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace lectern {

using JsonElement = simdjson::dom::element;

/// JSON as Python's json module writes it, with NaN, Infinity and integers of any size. Its elements live as
/// long as it does.
class EdtraceDocument {
 public:
  /// Throws Error naming file and line.
  EdtraceDocument(std::string_view text, const std::string& name);

  JsonElement root() const { return root_; }

 private:
  simdjson::dom::parser parser_;
  JsonElement root_;
};

/// Past the string of JSON that begins at `begin`, or the end of a text in which it does not end.
std::size_t json_string_end(std::string_view text, std::size_t begin);

/// Marks the numbers that JSON does not have: {"float":"nan"}, {"float":"inf"}, {"float":"-inf"}, and
/// {"int":"DIGITS"} for integers beyond 64 bits. Line numbers stay the same.
std::string with_valid_numbers(std::string_view text);

/// The value of "nan", "inf" or "-inf".
std::optional<double> special_float(std::string_view name);

/// What marks say; nothing where there is none.
std::optional<double> marked_float(JsonElement json);
std::optional<std::string> marked_integer(JsonElement json);

/// For readers that know no marks: NaN and infinities become null, long integers the nearest doubles.
std::string plain_json(JsonElement json);

/// The member of this name, if `json` is an object that has one of this type.
template <typename T>
std::optional<T> member(JsonElement json, std::string_view name) {
  T found;
  if (json[name].get(found) != simdjson::SUCCESS) return {};
  return found;
}

/// Empty when there is no such string.
inline std::string text_member(JsonElement json, std::string_view name) {
  return std::string(member<std::string_view>(json, name).value_or(""));
}

/// A line number, which counts from 1; 0 when it is none.
int line_number(simdjson::simdjson_result<JsonElement> json);

}  // namespace lectern
