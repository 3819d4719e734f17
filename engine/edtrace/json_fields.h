#pragma once

#include <string>
#include <vector>

#include "trace/decode.h"

namespace lectern {

/// Members of an object of edtrace's, which may hold anything.

/// Null when there is no such member, or this is no object.
inline const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

/// Empty when there is no such string.
inline std::string text_member(const Json& object, const char* name) {
  const Json* const found = member(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

/// Empty when there is no such list; what is no string in it as JSON.
inline std::vector<std::string> list_member(const Json& object, const char* name) {
  std::vector<std::string> list;
  const Json* const found = member(object, name);
  if (found == nullptr || !found->is_array()) return list;
  for (const Json& item : *found) list.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return list;
}

}  // namespace lectern
