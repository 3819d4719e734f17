#include "check/compare_values.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "check/compare_tensors.h"
#include "check/excerpt.h"
#include "trace/decode.h"
#include "trace/encode.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

/// A part without a type of its own, of a value of type `outer`.
std::string text_within(const Value& value, const std::string& outer) {
  const std::string_view empty = empty_text(outer);
  const bool null = value.as<form::Null>() != nullptr && value.type.empty() && empty != "empty";
  return null ? std::string(empty) : value_text(value);
}

std::string typed_text(const Value& value) {
  const std::string type = value_type(value), text = value_text(value);
  return text.starts_with(type) ? text : text.empty() ? type : type + " " + text;
}

constexpr std::size_t kKeyLength = 24;

std::string key_text(const std::string& key) {
  return key.substr(0, kKeyLength);
}
std::string key_text(const Value& key) {
  const auto* const text = key.as<std::string>();
  return text != nullptr ? key_text(*text) : value_text(key, kKeyLength);
}

std::string key_place(const std::string& place, const std::string& name) {
  return place + "." + key_text(name);
}
std::string key_place(const std::string& place, const Value& key) {
  return place + "[" + key_text(key) + "]";
}

/// What the only or main part of a form is called needs no mention.
std::string part_place(const std::string& place, std::string_view name) {
  if (name == "items" || name == "entries" || name == "fields" || name == "value") return place;
  return name == "to" ? "*" + place : place + "." + std::string(name);
}

/// Walks both values at once and notes the places at which they differ. Parts are compared by their type;
/// what has none of its own here, as JSON.
class ValueWalk {
 public:
  ValueWalk(const std::string& name, const Comparison& comparison) : name_(name), comparison_(comparison) {}

  void compare(const Value& old_value, const Value& new_value, const std::string& place,
               const std::string& outer_type) {
    if (is_bare(old_value) != is_bare(new_value))
      return differ(place, text_within(old_value, outer_type), text_within(new_value, outer_type));
    if (old_value.tensor() != nullptr && new_value.tensor() != nullptr)
      return take(compare_tensors(old_value, new_value, name_, comparison_), place);
    if (old_value.type != new_value.type) return differ(place, typed_text(old_value), typed_text(new_value));
    const std::string& type = new_value.type.empty() ? outer_type : new_value.type;
    const bool scalars = is_scalar(old_value) && is_scalar(new_value);
    if (!scalars && (old_value.form.index() != new_value.form.index() || old_value.as<form::Unknown>()))
      return compare_parts(JsonText{to_json(old_value)}, JsonText{to_json(new_value)}, place, type);
    compare_member("id", old_value.id, new_value.id, !kAlways, place, type);
    if (scalars) {
      compare_scalars(old_value, new_value, place, type);
    } else {
      compare_forms(old_value, new_value, place, type);
    }
    compare_member("size", old_value.size, new_value.size, !kAlways, place, type);
    if (old_value.unknown != new_value.unknown)
      compare_parts(as_object(old_value.unknown), as_object(new_value.unknown), place, type);
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
  static JsonText as_object(const JsonText& members) { return members.empty() ? JsonText{"{}"} : members; }

  void differ(const std::string& place, const std::string& old_text, const std::string& new_text) {
    // Texts that were shortened may look alike though they are not.
    if (found_.places++ == 0) {
      found_.message = (place.empty() ? "" : place + ": ") +
                       (old_text == new_text ? old_text + " changed" : old_text + " → " + new_text);
    }
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

  void compare_scalars(const Value& old_value, const Value& new_value, const std::string& place,
                       const std::string& type) {
    const Tolerances& tolerances = comparison_.tolerances;
    const auto old_number = number(old_value), new_number = number(new_value);
    if (old_number && new_number) {
      const bool inexact = old_value.as<double>() != nullptr || new_value.as<double>() != nullptr;
      if (inexact ? !is_close(*old_number, *new_number, tolerances.find(name_, type))
                  : old_value.form != new_value.form)
        differ(place, exact_text(old_value.form), exact_text(new_value.form));
      return;
    }
    if (old_value.form == new_value.form) return;
    const auto *const before = old_value.as<std::string>(), *const now = new_value.as<std::string>();
    if (before != nullptr && now != nullptr && tolerances.covers_all() &&
        same_but_for_numbers(*before, *now, tolerances.find("*", "double")))
      return;
    differ(place, text_within(old_value, type), text_within(new_value, type));
  }

  /// Both of the same form.
  void compare_forms(const Value& old_value, const Value& new_value, const std::string& place,
                     const std::string& type) {
    std::visit(
        [&](const auto& old_form) {
          using Form = std::remove_cvref_t<decltype(old_form)>;
          if constexpr (HasFields<Form>) {
            const Form& new_form = std::get<Form>(new_value.form);
            for_each_field<Form>([&](const auto& field) {
              compare_member(field.name, old_form.*field.member, new_form.*field.member, field.always, place,
                             type);
            });
          }
        },
        old_value.form);
  }

  template <typename T>
  void compare_member(std::string_view name, const T& old_part, const T& new_part, bool always,
                      const std::string& place, const std::string& type) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (name == "storage") return compare_storages(old_part, new_part, place);
    }
    if (name == "address") return;
    const T absent{};
    if (always || (old_part != absent && new_part != absent))
      return compare_parts(old_part, new_part, part_place(place, name), type);
    const auto text = [&](const T& part) {
      return part == absent ? "nothing" : value_text(as_value(JsonText{to_json(part)}));
    };
    if (old_part != new_part) differ(place + "." + std::string(name), text(old_part), text(new_part));
  }

  void compare_storages(std::int64_t old_number, std::int64_t new_number, const std::string& place) {
    if (comparison_.storages != nullptr && !comparison_.storages->same(old_number, new_number))
      differ(place, "its memory", "memory shared otherwise");
  }

  void compare_parts(const Boxed<Value>& old_part, const Boxed<Value>& new_part, const std::string& place,
                     const std::string& type) {
    compare(*old_part, *new_part, place, type);
  }
  void compare_parts(const std::vector<Value>& old_list, const std::vector<Value>& new_list,
                     const std::string& place, const std::string& type) {
    for (std::size_t i = 0; i < std::min(old_list.size(), new_list.size()); ++i)
      compare(old_list[i], new_list[i], place + "[" + std::to_string(i) + "]", type);
    if (old_list.size() != new_list.size()) {
      differ(place.empty() ? "size" : place + " size", std::to_string(old_list.size()),
             std::to_string(new_list.size()));
    }
  }
  /// The k-th entry of a key in one list is the k-th of it in the other: multimaps have several. Of what is
  /// left, keys within the tolerance are the same.
  template <typename Key>
  void compare_parts(const std::vector<Pair<Key, Value>>& old_list,
                     const std::vector<Pair<Key, Value>>& new_list, const std::string& place,
                     const std::string& type) {
    using Entry = const Pair<Key, Value>*;
    std::unordered_map<std::string, std::deque<Entry>> others;
    for (const auto& entry : new_list) others[to_json(entry.first)].push_back(&entry);
    std::vector<Entry> old_left;
    std::set<Entry> paired;
    const auto pair = [&](Entry before, Entry now) {
      compare(before->second, now->second, key_place(place, before->first), type);
      paired.insert(now);
    };
    for (const auto& entry : old_list) {
      std::deque<Entry>& same = others[to_json(entry.first)];
      if (same.empty()) {
        old_left.push_back(&entry);
      } else {
        pair(&entry, same.front());
        same.pop_front();
      }
    }
    for (const Entry before : old_left) {
      const auto now = std::ranges::find_if(new_list, [&](const auto& entry) {
        return !paired.contains(&entry) && is_close_key(before->first, entry.first, type);
      });
      if (now != new_list.end()) {
        pair(before, &*now);
      } else {
        differ(key_place(place, before->first), part_text(before->second), "nothing");
      }
    }
    for (const auto& entry : new_list) {
      if (!paired.contains(&entry)) differ(key_place(place, entry.first), "nothing", part_text(entry.second));
    }
  }
  static bool is_close_key(const std::string&, const std::string&, const std::string&) { return false; }
  bool is_close_key(const Value& before, const Value& now, const std::string& type) const {
    const double *const old_number = before.as<double>(), *const new_number = now.as<double>();
    return old_number != nullptr && new_number != nullptr &&
           is_close(*old_number, *new_number, comparison_.tolerances.find(name_, type));
  }
  template <typename T>
  void compare_parts(const T& old_part, const T& new_part, const std::string& place,
                     const std::string& type) {
    compare(as_value(JsonText{to_json(old_part)}), as_value(JsonText{to_json(new_part)}), place, type);
  }

  const std::string& name_;
  const Comparison& comparison_;
  ValueDifference found_{.message = {}, .places = 0};
};

}  // namespace

bool StoragePairs::same(std::int64_t old_number, std::int64_t new_number) {
  const auto known_new = new_numbers_.find(old_number);
  const auto known_old = old_numbers_.find(new_number);
  if (known_new == new_numbers_.end() && known_old == old_numbers_.end()) {
    new_numbers_[old_number] = new_number;
    old_numbers_[new_number] = old_number;
    return true;
  }
  return known_new != new_numbers_.end() && known_new->second == new_number;
}

std::string part_text(const Value& part) {
  const bool list = part.type.empty() && part.as<form::Items>() != nullptr;
  return list ? "…" : value_text(part);
}

std::string exact_text(const Value::Form& number) {
  const Value bare{.form = number};
  const double* const real = bare.as<double>();
  return real != nullptr && !std::isfinite(*real) ? value_text(bare) : to_json(bare);
}

std::optional<ValueDifference> compare_values(const Value& old_value, const Value& new_value,
                                              const std::string& name, const Comparison& comparison) {
  ValueWalk walk(name, comparison);
  walk.compare(old_value, new_value, "", "");
  return std::move(walk).result();
}

}  // namespace lectern
