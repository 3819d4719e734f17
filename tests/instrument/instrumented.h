#pragma once

#include <string>
#include <string_view>

#include "instrument/instrument.h"

namespace lectern {

inline Instrumented instrument_text(std::string_view source, bool inspect_all = false,
                                    const std::string& file = "test.cpp") {
  return instrument(
      source,
      {.inspect_all = inspect_all, .path = file, .folder = "/lecture", .original = "/lecture/" + file});
}

/// What was made of the source's own lines: the tables before them left out.
inline std::string body_of(const Instrumented& file) {
  const std::size_t begin = file.text.find("#line 1 ");
  return begin == std::string::npos ? file.text : file.text.substr(begin);
}

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// "line:column: message" of each diagnostic of that severity.
inline std::string diagnostics_of(const Instrumented& file, Diagnostic::Severity severity) {
  std::string list;
  for (const Diagnostic& d : file.diagnostics) {
    if (d.severity != severity) continue;
    list += std::to_string(d.place.line) + ":" + std::to_string(d.place.column) + ": " + d.message + "\n";
  }
  return list;
}
inline std::string errors_of(const Instrumented& file) {
  return diagnostics_of(file, Diagnostic::Severity::error);
}
inline std::string warnings_of(const Instrumented& file) {
  return diagnostics_of(file, Diagnostic::Severity::warning);
}

}  // namespace lectern
