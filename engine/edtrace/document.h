#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace lectern {

using JsonElement = simdjson::dom::element;

/// JSON as Python's json module writes it. Its elements live as long as it does.
class EdtraceDocument {
 public:
  /// Throws Error naming file and line.
  EdtraceDocument(std::string_view text, const std::string& name);

  JsonElement root() const { return root_; }

 private:
  simdjson::dom::parser parser_;
  JsonElement root_;
};

/// Python's numbers that JSON does not have become strings: "nan", "inf" and "-inf", and the digits of
/// integers beyond 64 bits. Line numbers stay the same.
std::string with_valid_numbers(std::string_view text);

/// The number that such a string stands for, if it does.
std::optional<double> special_float(std::string_view text);
bool is_long_integer(std::string_view text);

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
