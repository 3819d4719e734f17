#include "check/compare_values.h"

#include <cmath>
#include <limits>

#include "base/json_text.h"
#include "check/compare_tensors.h"
#include "check/excerpt.h"
#include "check/json_values.h"

namespace lectern {
namespace {

/// Walks both values at once and notes the places at which they differ.
class ValueWalk {
 public:
  ValueWalk(const std::string& name, const Comparison& comparison) : name_(name), comparison_(comparison) {}

  void compare(const Json& old_value, const Json& new_value, const std::string& place,
               const std::string& type) {
    if (old_value == new_value && !may_hold_storage(old_value)) return;
    const auto old_number = number_of(old_value), new_number = number_of(new_value);
    if (old_number && new_number) return compare_numbers(old_value, new_value, place, type);
    if (old_value.is_object() && new_value.is_object())
      return compare_objects(old_value, new_value, place, type);
    if (old_value.is_array() && new_value.is_array()) return compare_lists(old_value, new_value, place, type);
    if (old_value.is_string() && new_value.is_string()) return compare_texts(old_value, new_value, place);
    if (old_value != new_value) differ(place, value_text(old_value), value_text(new_value));
  }

  std::optional<ValueDifference> result() && {
    if (found_.places == 0) return std::nullopt;
    if (found_.places > 1) {
      found_.message += ", and " + std::to_string(found_.places - 1) +
                        (found_.places == 2 ? " more place" : " more places");
    }
    return std::move(found_);
  }

 private:
  static bool may_hold_storage(const Json& value) { return value.is_structured(); }

  void differ(const std::string& place, const std::string& old_text, const std::string& new_text) {
    // Texts that were shortened may look alike though they are not.
    if (found_.places++ == 0) {
      found_.message = (place.empty() ? "" : place + ": ") +
                       (old_text == new_text ? old_text + " changed" : old_text + " → " + new_text);
    }
  }

  void compare_texts(const Json& old_value, const Json& new_value, const std::string& place) {
    const auto &before = old_value.get_ref<const std::string&>(),
               &now = new_value.get_ref<const std::string&>();
    const Tolerances& tolerances = comparison_.tolerances;
    if (before == now ||
        (tolerances.covers_all() && same_but_for_numbers(before, now, tolerances.of("*", "double"))))
      return;
    differ(place, value_text(old_value), value_text(new_value));
  }

  void compare_numbers(const Json& old_value, const Json& new_value, const std::string& place,
                       const std::string& type) {
    const bool whole = old_value.is_number_integer() && new_value.is_number_integer();
    if (!whole &&
        is_close(*number_of(old_value), *number_of(new_value), comparison_.tolerances.of(name_, type)))
      return;
    differ(place, number_text(old_value), number_text(new_value));
  }

  void compare_objects(const Json& old_value, const Json& new_value, const std::string& place,
                       const std::string& outer_type) {
    const Json* const type = member(new_value, "type");
    const std::string own_type = type != nullptr && type->is_string() ? type->get<std::string>() : outer_type;
    if (is_tensor(old_value) && is_tensor(new_value))
      return take(compare_tensors(old_value, new_value, name_, comparison_), place);
    if (const Json* old_type = member(old_value, "type");
        (old_type == nullptr) != (type == nullptr) || (type != nullptr && *old_type != *type))
      return differ(place, type_text(old_value), type_text(new_value));
    for (const auto& [key, old_part] : old_value.items()) {
      const Json* const new_part = member(new_value, key.c_str());
      if (key == "storage") {
        compare_storages(old_part, new_part, place);
      } else if (new_part == nullptr) {
        differ(member_of(place, key), value_text(old_part), "nothing");
      } else if (key != "type") {
        compare_parts(key, old_part, *new_part, place, own_type);
      }
    }
    for (const auto& [key, new_part] : new_value.items()) {
      if (!old_value.contains(key)) differ(member_of(place, key), "nothing", value_text(new_part));
    }
  }

  void compare_parts(const std::string& key, const Json& old_part, const Json& new_part,
                     const std::string& place, const std::string& type) {
    if (key == "fields") return compare_named(old_part, new_part, place, type, ".", "");
    if (key == "entries") return compare_named(old_part, new_part, place, type, "[", "]");
    if (key == "items") return compare_lists(old_part, new_part, place, type);
    if (key == "to") return compare(old_part, new_part, std::string("*").append(place), type);
    if (key == "value") return compare(old_part, new_part, place, type);
    compare(old_part, new_part, member_of(place, key), type);
  }
  static std::string member_of(std::string place, const std::string& key) {
    return place.append(".").append(key);
  }

  void compare_storages(const Json& old_number, const Json* new_number, const std::string& place) {
    if (comparison_.storages == nullptr) return;
    const bool numbers =
        new_number != nullptr && old_number.is_number_integer() && new_number->is_number_integer();
    if (!numbers ||
        !comparison_.storages->same(old_number.get<std::int64_t>(), new_number->get<std::int64_t>()))
      differ(place, "its memory", "memory shared otherwise");
  }

  void compare_lists(const Json& old_list, const Json& new_list, const std::string& place,
                     const std::string& type) {
    if (!old_list.is_array() || !new_list.is_array())
      return differ(place, value_text(old_list), value_text(new_list));
    const std::size_t common = std::min(old_list.size(), new_list.size());
    for (std::size_t i = 0; i < common; ++i)
      compare(old_list[i], new_list[i], place + "[" + std::to_string(i) + "]", type);
    if (old_list.size() != new_list.size()) {
      differ(place.empty() ? "size" : place + " size", std::to_string(old_list.size()),
             std::to_string(new_list.size()));
    }
  }

  /// Lists of [key, value].
  void compare_named(const Json& old_list, const Json& new_list, const std::string& place,
                     const std::string& type, const char* before, const char* behind) {
    std::unordered_map<std::string, const Json*> others;
    for (const Json& entry : new_list) {
      if (entry.is_array() && entry.size() == 2) others.emplace(entry[0].dump(), &entry[1]);
    }
    for (const Json& entry : old_list) {
      if (!entry.is_array() || entry.size() != 2) continue;
      const std::string inner = place + before + key_text(entry[0]) + behind;
      const auto other = others.find(entry[0].dump());
      if (other == others.end()) {
        differ(inner, value_text(entry[1]), "nothing");
      } else {
        compare(entry[1], *other->second, inner, type);
        others.erase(other);
      }
    }
    for (const Json& entry : new_list) {
      if (entry.is_array() && entry.size() == 2 && others.contains(entry[0].dump()))
        differ(place + before + key_text(entry[0]) + behind, "nothing", value_text(entry[1]));
    }
  }
  static std::string key_text(const Json& key) {
    constexpr std::size_t kLength = 24;
    return key.is_string() ? key.get<std::string>().substr(0, kLength) : value_text(key, kLength);
  }
  static std::string type_text(const Json& value) {
    const Value typed = value_from_json(value);
    const std::string type = value_type(typed), text = value_text(typed);
    return text.starts_with(type) ? text : text.empty() ? type : type + " " + text;
  }

  void take(std::optional<ValueDifference> inner, const std::string& place) {
    if (!inner) return;
    if (found_.places == 0) {
      inner->message = (place.empty() ? "" : place + ": ") + inner->message;
      found_ = std::move(*inner);
    } else {
      ++found_.places;
    }
  }

  const std::string& name_;
  const Comparison& comparison_;
  ValueDifference found_{.message = {}, .places = 0};
};

}  // namespace

bool StoragePairs::same(std::int64_t old_number, std::int64_t new_number) {
  const auto known_new = new_of_.find(old_number);
  const auto known_old = old_of_.find(new_number);
  if (known_new == new_of_.end() && known_old == old_of_.end()) {
    new_of_[old_number] = new_number;
    old_of_[new_number] = old_number;
    return true;
  }
  return known_new != new_of_.end() && known_new->second == new_number && known_old != old_of_.end() &&
         known_old->second == old_number;
}

std::optional<double> number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (!json.is_object() || json.size() != 1) return std::nullopt;
  const auto name = json.find("float");
  if (name == json.end() || !name->is_string()) return std::nullopt;
  if (*name == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (*name == "inf") return std::numeric_limits<double>::infinity();
  if (*name == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::string number_text(const Json& json) {
  if (!json.is_number()) return value_text(json);
  if (!json.is_number_float()) return json.dump();
  std::string text;
  append_real(text, json.get<double>());
  return text;
}

std::optional<ValueDifference> compare_values(const Json& old_value, const Json& new_value,
                                              const std::string& name, const Comparison& comparison) {
  ValueWalk walk(name, comparison);
  walk.compare(old_value, new_value, "", "");
  return std::move(walk).result();
}

}  // namespace lectern
