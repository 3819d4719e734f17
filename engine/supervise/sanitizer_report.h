#pragma once

#include <optional>
#include <string>

namespace lectern {

/// What AddressSanitizer or UndefinedBehaviorSanitizer found, without addresses and frames outside the
/// lecture.
struct SanitizerReport {
  std::string sanitizer = {};  ///< "AddressSanitizer"
  std::string
      what;  ///< "heap-buffer-overflow: READ of size 4 in sum (name.cpp:3), called from main (name.cpp:9)"
  std::string path = {};  ///< of the innermost frame in the lecture's folder, relative to it; else empty
  int line = 0, column = 0;
};

/// Takes the report out of what a lecture wrote to its standard error. `folder` is the lecture's, absolute.
std::optional<SanitizerReport> take_sanitizer_report(std::string& text, const std::string& folder);

}  // namespace lectern
