#pragma once

#include <string>

namespace lectern {

/// Of a message, "FILE:LINE: what", what a person is told: "FILE:LINE: warning: what".
inline std::string as_warning(std::string message) {
  const std::size_t place_end = message.find(": ");
  return message.insert(place_end == message.npos ? 0 : place_end + 2, "warning: ");
}

}  // namespace lectern
