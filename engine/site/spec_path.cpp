#include "site/spec_path.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/characters.h"
#include "base/html.h"
#include "base/utf8.h"

namespace lectern {

std::string member_path(const std::string& object, std::string_view name) {
  constexpr std::size_t kLongest = 60;
  const bool word =
      !name.empty() && name.size() <= kLongest && std::all_of(name.begin(), name.end(), is_word);
  if (!word) return object + "[" + as_json(std::string(name)) + "]";
  return (object.empty() ? "" : object + ".") + std::string(name);
}

std::string item_path(const std::string& array, std::size_t number) {
  return array + "[" + std::to_string(number) + "]";
}

std::string as_json(const SpecJson& value) {
  constexpr std::size_t kMost = 60;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  const std::string text = value.dump(-1, ' ', false, SpecJson::error_handler_t::replace);
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view character = next_character(rest);
    if (out.size() + character.size() > kMost) return with_pictures(out) + "…";
    out += character;
    rest.remove_prefix(character.size());
  }
  return with_pictures(out);
}

std::string json_type(const SpecJson& value) {
  return value.is_number() ? "number" : value.type_name();
}

}  // namespace lectern
