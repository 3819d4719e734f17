#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "has.h"
#include "instrument/instrument.h"

namespace lectern {

using test::has;

inline Instrumented instrument_text(std::string_view source, bool inspect_all = false,
                                    const std::string& file = "test.cpp") {
  return instrument(
      source,
      {.inspect_all = inspect_all, .path = file, .folder = "/lecture", .original = "/lecture/" + file});
}

/// The original bytes of an instrumented text. Throws Error when the marker of a probe is damaged.
inline std::string strip_probes(std::string_view instrumented) {
  std::string result;
  while (true) {
    const std::size_t marker = instrumented.find(insertion_marker);
    result.append(instrumented.substr(0, marker));
    if (marker == std::string_view::npos) return result;
    instrumented.remove_prefix(marker + insertion_marker.size());
    std::size_t length = 0;
    const auto [end, error] =
        std::from_chars(instrumented.data(), instrumented.data() + instrumented.size(), length);
    const auto digits = static_cast<std::size_t>(end - instrumented.data());
    if (error != std::errc() || !instrumented.substr(digits).starts_with("*/")) {
      throw Error("a probe's marker is damaged");
    }
    instrumented.remove_prefix(std::min(instrumented.size(), digits + 2 + length));
  }
}

/// What was made of the source's own lines: the tables before them left out.
inline std::string body_of(const Instrumented& file) {
  const std::size_t begin = file.text.find("#line 1 ");
  return begin == std::string::npos ? file.text : file.text.substr(begin);
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
