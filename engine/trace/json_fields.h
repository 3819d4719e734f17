#pragma once

#include <string>
#include <vector>

#include "trace/decode.h"

namespace lectern {

/// Fields of an object that may hold anything.

inline Json json_of(const JsonText& text) {
  return text.empty() ? Json(nullptr) : Json::parse(text.text);
}
inline JsonText text_of_json(const Json& json) {
  return json.is_null() || json.empty() ? JsonText() : JsonText{json.dump()};
}
inline Json step_json(const Step& step) {
  return step.text.empty() ? Json::object() : Json::parse(step.text);
}

/// Null when there is no such field, or this is no object.
inline const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

inline Json member_or_null(const Json& object, const char* name) {
  const Json* const found = member(object, name);
  return found == nullptr ? Json() : *found;
}

/// The object without one of its fields; what is no object as it is.
inline Json without(Json object, const char* name) {
  if (object.is_object()) object.erase(name);
  return object;
}

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
