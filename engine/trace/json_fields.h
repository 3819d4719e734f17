#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// Fields of an object that may hold anything.

/// Empty when there is no such string.
inline std::string text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Empty when there is no such list; what is no string in it as JSON.
inline std::vector<std::string> list_member(const Json& object, const char* name) {
  std::vector<std::string> list;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return list;
  for (const Json& item : *found) list.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return list;
}

}  // namespace lectern
