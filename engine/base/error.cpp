#include "base/error.h"

namespace lectern {

std::string to_string(const Place& place) {
  if (place.file.empty()) return {};
  std::string text = place.file;
  if (place.line > 0) text += ":" + std::to_string(place.line);
  if (place.line > 0 && place.column > 0) text += ":" + std::to_string(place.column);
  return text;
}

Error::Error(const Place& place, const std::string& message)
    : std::runtime_error(place.file.empty() ? message : to_string(place) + ": " + message) {}

}  // namespace lectern
