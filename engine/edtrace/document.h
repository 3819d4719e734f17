#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "trace/model.h"

namespace lectern {

using JsonElement = simdjson::dom::element;

/// Reads JSON as Python's json module writes it, into memory of the parser. Throws Error naming file and
/// line.
JsonElement parse_python_json(std::string_view text, const std::string& name, simdjson::dom::parser& parser);

/// Python's numbers that JSON does not have become strings: "nan", "inf" and "-inf", and the digits of
/// integers beyond 64 bits. Line numbers stay the same.
std::string with_valid_numbers(std::string_view text);

/// Reads a variable's value, bare or with its type. It is a tensor if its contents are nested lists of
/// numbers of the shape that it states. `depth`: how many values it is inside of. Throws Error if too many.
Value value_from_edtrace(JsonElement json, int depth = 0);

/// The member of this name, if `json` is an object that has one of this type; null is none.
template <typename T = JsonElement>
std::optional<T> member(JsonElement json, std::string_view name) {
  const auto found = json[name];
  T typed;
  if (found.is_null() || found.get(typed) != simdjson::SUCCESS) return {};
  return typed;
}

/// As a reader would see it: a string's text, or JSON; empty where there is none.
std::string shown_text(simdjson::simdjson_result<JsonElement> json);

}  // namespace lectern
