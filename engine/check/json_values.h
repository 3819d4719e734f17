#pragma once

#include <string>

#include "trace/json_fields.h"
#include "trace/value_text.h"

namespace lectern {

/// Values that are JSON still.

inline std::string value_text(const Json& value, std::size_t limit = 48) {
  return value_text(value_from_json(value), limit);
}

inline std::string string_bytes(const Json& value) {
  const Value string = value_from_json(value);
  const std::string* const bytes = string.as<std::string>();
  return bytes == nullptr ? std::string() : *bytes;
}

inline bool is_tensor(const Json& value) {
  return value.is_object() && value.contains("dtype") && value.contains("shape");
}

}  // namespace lectern
