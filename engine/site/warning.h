#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "trace/trace.h"

namespace lectern {

/// What is said of a statement, "FILE:LINE: what".
inline std::string message_at(const Trace& trace, int site, const std::string& what) {
  const Site& at = trace.sites[index(site)];
  const SourceFile& source = trace.sources[index(trace.functions[index(at.function)].source)];
  return to_string(Place{source.path, at.span.line, 0}) + ": " + what;
}

inline void add_once(std::vector<std::string>& messages, std::string message) {
  if (std::ranges::find(messages, message) == messages.end()) messages.push_back(std::move(message));
}

/// Of a message, "FILE:LINE: what", what a person is told: "FILE:LINE: warning: what".
inline std::string as_warning(std::string message) {
  const std::size_t place_end = message.find(": ");
  return message.insert(place_end == message.npos ? 0 : place_end + 2, "warning: ");
}

}  // namespace lectern
