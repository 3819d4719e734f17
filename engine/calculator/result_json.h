#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <type_traits>

#include "trace/calculator.h"

namespace lectern::calculation {

/// A result as JSON for the page, with all its fields. Needs no library, so that modules stay small.
template <typename T>
void append_result(std::string& out, const T& value) {
  const auto append_list = [&out](const auto& list, char open, char close, const auto& append) {
    out += open;
    bool first = true;
    const auto next = [&](const auto&... item) {
      if (!first) out += ',';
      first = false;
      append(item...);
    };
    list(next);
    out += close;
  };
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
    out += std::isfinite(static_cast<double>(value)) ? text : "null";
  } else if constexpr (std::is_same_v<T, std::string>) {
    out += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') out += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) {
        out += c;
      } else {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
        out += escaped;
      }
    }
    out += '"';
  } else if constexpr (trace_model::HasFields<T>) {
    append_list([&](const auto& next) { trace_model::for_each_field<T>(next); }, '{', '}',
                [&](const auto& field) {
                  out.append("\"").append(field.name).append("\":");
                  append_result(out, value.*field.member);
                });
  } else {
    append_list(
        [&](const auto& next) {
          for (const auto& item : value) next(item);
        },
        '[', ']', [&](const auto& item) { append_result(out, item); });
  }
}

inline std::string result_json(const trace_model::calculators::Result& result) {
  std::string out;
  append_result(out, result);
  return out;
}

}  // namespace lectern::calculation
