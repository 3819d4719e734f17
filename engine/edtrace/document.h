#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace lectern {

using JsonElement = simdjson::dom::element;

/// Reads JSON as Python's json module writes it, into memory of the parser. Throws Error naming file and
/// line.
JsonElement parse_python_json(std::string_view text, const std::string& name, simdjson::dom::parser& parser);

/// Python's numbers that JSON does not have become strings: "nan", "inf" and "-inf", and the digits of
/// integers beyond 64 bits. Line numbers stay the same.
std::string with_valid_numbers(std::string_view text);

/// The number that such a string stands for, if it does.
std::optional<double> special_float(std::string_view text);
bool is_long_integer(std::string_view text);

/// The member of this name, if `json` is an object that has one of this type.
template <typename T = JsonElement, typename Parent>
std::optional<T> member(const Parent& json, std::string_view name) {
  T found;
  if (json[name].get(found) != simdjson::SUCCESS) return {};
  return found;
}

/// The member of this name, unless it is null.
inline std::optional<JsonElement> nonnull_member(JsonElement json, std::string_view name) {
  const auto found = member(json, name);
  return found && found->is_null() ? std::nullopt : found;
}

/// Empty when there is no such string.
template <typename Parent>
std::string text_member(const Parent& json, std::string_view name) {
  return std::string(member<std::string_view>(json, name).value_or(""));
}

/// A line number, which counts from 1; 0 when it is none.
int line_number(simdjson::simdjson_result<JsonElement> json);

}  // namespace lectern
