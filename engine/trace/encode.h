#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/json_text.h"
#include "trace/model.h"
#include "trace/site_kind.h"
#include "trace/trace.h"

namespace lectern {

/// Writes the types of a trace as JSON text, on one line (but for a source's lines). Needs no JSON library:
/// lectures write their renderings with it.

void append_json(std::string& out, const Value& value);
void append_json(std::string& out, const Rendering& rendering);
void append_json(std::string& out, const TextSpan& span);
void append_json(std::string& out, const SiteTolerance& tolerance);
void append_json(std::string& out, const SourceLines& lines);
inline void append_json(std::string& out, const Printed& value) {
  append_string_value(out, value.bytes);
}
inline void append_json(std::string& out, const JsonText& value) {
  out += value.empty() ? "null" : value.text;
}
inline void append_json(std::string& out, SiteKind kind) {
  append_json_string(out, name(kind));
}
template <typename T>
void append_json(std::string& out, const T& value);

template <typename First, typename Second>
void append_json(std::string& out, const Pair<First, Second>& pair) {
  out += '[';
  append_json(out, pair.first);
  out += ',';
  append_json(out, pair.second);
  out += ']';
}
template <typename T>
void append_json(std::string& out, const Members<T>& members) {
  out += '{';
  for (const auto& [name, member] : members) {
    if (&name != &members.front().first) out += ',';
    append_json_string(out, name);
    out += ':';
    append_json(out, member);
  }
  out += '}';
}

/// The members of a JSON object, each with its comma before it.
void append_members(std::string& out, const JsonText& object);
/// The members of an object that are not as in a new one, then those that this version does not know.
template <HasFields T>
void append_members(std::string& out, const T& object) {
  [[maybe_unused]] static const T fresh{};
  for_each_field<T>([&](const auto& field) {
    if (!field.always && object.*field.member == fresh.*field.member) return;
    out += ',';
    append_json_string(out, field.name);
    out += ':';
    append_json(out, object.*field.member);
  });
  if constexpr (requires { object.unknown; }) append_members(out, object.unknown);
}
/// Braces around the members that were appended since `begin`; the first one's comma goes.
void close_object(std::string& out, std::size_t begin);

/// Everything else: scalars, strings, types with fields, lists, and optionals (not empty) and boxes of these.
template <typename T>
void append_json(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    append_real(out, value);
  } else if constexpr (std::is_unsigned_v<T>) {
    append_unsigned(out, value);
  } else if constexpr (std::is_integral_v<T>) {
    append_integer(out, value);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    append_json_string(out, value);
  } else if constexpr (std::is_same_v<T, Element>) {
    std::visit([&](auto element) { append_json(out, element); }, value);
  } else if constexpr (HasFields<T>) {
    const std::size_t begin = out.size();
    append_members(out, value);
    close_object(out, begin);
  } else if constexpr (requires { *value; }) {
    append_json(out, *value);
  } else {
    out += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ',';
      append_json(out, value[i]);
    }
    out += ']';
  }
}

/// {"kind":KIND,…}
template <typename T>
void append_rendering(std::string& out, const T& rendering) {
  out += "{\"kind\":";
  append_json_string(out, T::kKind);
  append_members(out, rendering);
  out += '}';
}

/// A record that defines something, with its newline: {"site":3,…}
template <HasFields T>
void append_definition(std::string& out, std::string_view kind, int number, const T& definition) {
  out.append("{\"").append(kind).append("\":");
  append_integer(out, number);
  append_members(out, definition);
  out += "},\n";
}

template <typename T>
std::string to_json(const T& object) {
  std::string out;
  append_json(out, object);
  return out;
}

}  // namespace lectern
