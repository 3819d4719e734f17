#include "edtrace/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "trace/tensor_check.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

namespace dom = simdjson::dom;

constexpr int kDeepest = 60;  // three levels of our JSON each, of which a reader takes 200
constexpr const char* kEllipsis = "\u2026";

/// Of other objects the contents are fields.
bool is_mapping(std::string_view type) {
  constexpr std::string_view kMappings[] = {"dict", "Dict", "Counter", "mappingproxy"};
  return std::ranges::any_of(kMappings, [&](std::string_view ending) { return type.ends_with(ending); });
}

/// Python writes all digits of the double; of a float the shortest that read back as the same one do.
double shortest(double number) {
  const auto as_float = static_cast<float>(number);
  if (std::isfinite(number) && number == as_float) {
    std::array<char, kRealLength> digits{};
    std::from_chars(digits.data(), put_real(digits.data(), as_float), number);
  }
  return number;
}

std::optional<Element> read_element(JsonElement json, bool is_float) {
  if (json.is_bool()) return bool{json};
  if (json.is_int64()) return std::int64_t{json};
  if (json.is_number()) return is_float ? shortest(double{json}) : double{json};
  if (json.is_string()) return special_float(json);
  return {};
}

/// Appends the elements of nested lists in order; false when they are not of the tensor's shape, or no
/// numbers.
bool read_elements(JsonElement contents, form::Tensor& tensor, std::size_t dimension) {
  if (dimension == tensor.shape.size()) {
    const bool is_float = tensor.dtype != "float64" && tensor.dtype.find("float") != std::string::npos;
    const auto element = read_element(contents, is_float);
    if (element) tensor.data->push_back(*element);
    return element.has_value();
  }
  dom::array list;
  if (contents.get(list) != simdjson::SUCCESS) return false;
  std::int64_t size = 0;
  for (const JsonElement inner : list) {
    if (++size > tensor.shape[dimension] || !read_elements(inner, tensor, dimension + 1)) return false;
  }
  return size == tensor.shape[dimension];
}

/// Nothing when there is no shape, or the contents are not of it.
std::optional<form::Tensor> read_tensor(JsonElement typed, JsonElement contents) {
  const auto shape = member<dom::array>(typed, "shape");
  if (!shape) return {};
  form::Tensor tensor;
  for (const JsonElement size : *shape) {
    if (size.get(tensor.shape.emplace_back()) != simdjson::SUCCESS) return {};
  }
  tensor.dtype = text_member(typed, "dtype");
  if (tensor.dtype.starts_with("torch.")) tensor.dtype.erase(0, 6);
  tensor.data.emplace();
  if (!read_elements(contents, tensor, 0) || !is_consistent(tensor)) return {};
  return tensor;
}

Value read_value(JsonElement json, int depth);

Value::Form read_text(std::string_view text, std::string_view type) {
  const auto special = special_float(text);
  if (special && (type == "float" || type.empty())) return *special;
  const bool is_text = type == "str" || (type.empty() && !is_long_integer(text));
  if (is_text) return std::string(text);
  return form::Text{std::string(text), {}};
}

/// The members of an object, each with the key that `make_key` makes of its name.
template <typename Key, typename MakeKey>
std::vector<Pair<Key, Value>> read_members(dom::object object, int depth, MakeKey make_key) {
  std::vector<Pair<Key, Value>> members;
  members.reserve(object.size());
  for (const auto& [name, value] : object)
    members.emplace_back(make_key(std::string(name)), read_value(value, depth));
  return members;
}

form::Items read_items(dom::array items, int depth) {
  form::Items list;
  list.items.reserve(items.size());
  for (const JsonElement item : items) list.items.push_back(read_value(item, depth));
  return list;
}

/// `type` is empty of a bare value.
Value::Form read_form(JsonElement json, std::string_view type, int depth) {
  if (json.is_null()) return form::Null();
  if (json.is_bool()) return bool{json};
  if (json.is_int64()) return std::int64_t{json};
  if (json.is_uint64()) return std::uint64_t{json};
  if (json.is_double()) return double{json};
  if (json.is_string()) return read_text(json, type);
  if (json.is_array()) return read_items(json, depth + 1);
  if (!type.empty() && !is_mapping(type))
    return form::Fields{read_members<std::string>(json, depth + 1, std::identity())};
  const auto make_key = [](std::string name) { return Value{.form = std::move(name)}; };
  return form::Entries{read_members<Value>(json, depth + 1, make_key)};
}

/// The type that a bare value has in Python.
std::string_view python_type(const Value& value) {
  if (value.as<form::Null>() != nullptr) return "NoneType";
  if (value.as<bool>() != nullptr) return "bool";
  if (value.as<double>() != nullptr) return "float";
  if (value.as<std::string>() != nullptr) return "str";
  if (value.as<form::Items>() != nullptr) return "list";
  return value.as<form::Entries>() != nullptr ? "dict" : "int";
}

/// With its type, or bare.
Value read_value(JsonElement json, int depth) {
  if (depth > kDeepest)
    throw Error("a value is nested more than " + std::to_string(kDeepest) + " levels deep");
  const auto type = member<std::string_view>(json, "type");
  const auto contents = member<JsonElement>(json, "contents");
  const bool typed = type && contents;
  Value value;
  if (typed) value.type = *type;
  if (auto tensor = typed ? read_tensor(json, *contents) : std::nullopt) {
    value.form = Boxed(*std::move(tensor));
  } else if (typed && contents->is_null()) {
    value.form = form::Opaque();
  } else {
    value.form = read_form(typed ? *contents : json, value.type, depth);
    if (!typed) value.type = python_type(value);
  }
  // Inside of another value a scalar says its type itself.
  if (depth > 0 && is_scalar(value) && value.type == python_type(value)) value.type.clear();
  return value;
}

std::string whole_text(const Value& value) {
  return value_text(value, std::size_t{1} << 24);
}

/// JSON has no NaN and infinities: the viewer shows their names. Integers that the viewer would round are
/// text, which it leaves as it is.
template <typename Number>
Json number_json(Number number) {
  constexpr double kRoundedFrom = 1e12;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  } else {
    if (std::abs(static_cast<double>(number)) > kRoundedFrom) return std::to_string(number);
  }
  return number;
}

/// Nested lists from dimension `d` on, out of the elements from `next` on. Where positions are left out there
/// is a gap.
Json nested_lists(const form::Tensor& tensor, const std::vector<std::vector<std::int64_t>>& positions,
                  std::size_t d, std::size_t& next) {
  if (d == positions.size())
    return std::visit([](auto element) { return number_json(element); }, (*tensor.data)[next++]);
  Json gap = kEllipsis;
  for (std::size_t inner = d + 1; inner < positions.size(); ++inner) gap = Json::array({gap});
  Json list = Json::array();
  std::int64_t expected = 0;
  for (const std::int64_t position : positions[d]) {
    if (position != expected) list.push_back(gap);
    expected = position + 1;
    list.push_back(nested_lists(tensor, positions, d + 1, next));
  }
  return list;
}

class ValueWriter {
 public:
  explicit ValueWriter(bool with_types) : with_types_(with_types) {}

  /// `type` is the value's own, or that of a value which this one is the value of.
  Json write(const Value& value, const std::string& type) const {
    if (type == "NoneType" || value.as<form::Null>() != nullptr)
      return with_types_ ? typed("NoneType", "None") : Json();
    return std::visit([&](const auto& form) { return write_form(value, type, form); }, value.form);
  }

 private:
  Json typed(const std::string& type, Json contents) const {
    if (!with_types_) return contents;
    return {{"type", type}, {"contents", std::move(contents)}};
  }

  template <typename Form>
  Json write_form(const Value& value, const std::string& type, const Form& form) const {
    const auto type_or = [&type](const char* other) { return type.empty() ? other : type; };
    if constexpr (std::is_arithmetic_v<Form>) {
      // Of Python's types alone the viewer rounds numbers and groups their digits.
      constexpr bool kReal = std::is_floating_point_v<Form>, kBool = std::is_same_v<Form, bool>;
      return typed(kBool ? "bool" : kReal ? "float" : "int", number_json(form));
    } else if constexpr (std::is_same_v<Form, std::string>) {
      const std::string text = valid_utf8(form) ? form : whole_text({.form = form});
      return typed(type_or("str"), text + (value.size ? kEllipsis : ""));
    } else if constexpr (std::is_same_v<Form, form::Items>) {
      Json list = Json::array();
      for (const Value& item : form.items) list.push_back(write(item, item.type));
      if (value.size) list.push_back(typed("str", kEllipsis));
      return typed(type_or("list"), std::move(list));
    } else if constexpr (std::is_same_v<Form, form::Entries>) {
      Json::object_t members;
      for (const auto& [key, item] : form.entries) {
        const auto* const name = key.template as<std::string>();
        append(members, name != nullptr && valid_utf8(*name) ? *name : whole_text(key), item);
      }
      return object(type_or("dict"), std::move(members), value);
    } else if constexpr (std::is_same_v<Form, form::Fields>) {
      Json::object_t members;
      for (const auto& [name, item] : form.fields_) append(members, name, item);
      return object(type_or("dict"), std::move(members), value);
    } else if constexpr (std::is_same_v<Form, form::Pointer>) {
      return write(*form.to, form.to->type);
    } else if constexpr (std::is_same_v<Form, form::Typed>) {
      return write(*form.value, type.empty() ? form.value->type : type);
    } else if constexpr (std::is_same_v<Form, Boxed<form::Tensor>>) {
      return tensor(type_or("Tensor"), *form);
    } else {
      return typed(type_or("str"), whole_text(value));
    }
  }

  /// Not looked for: of equal keys the viewer shows the last.
  void append(Json::object_t& members, const std::string& name, const Value& value) const {
    members.emplace_back(name, write(value, value.type));
  }

  Json object(const std::string& type, Json::object_t members, const Value& value) const {
    if (value.size) append(members, kEllipsis, {.form = std::string(kEllipsis)});
    return typed(type, Json(std::move(members)));
  }

  Json tensor(const std::string& type, const form::Tensor& tensor) const {
    // The viewer looks into the first of three dimensions' rows, even where there is none.
    if (!tensor.data || (is_empty(tensor) && tensor.shape.size() >= 3))
      return typed(type, tensor.dtype + Json(tensor.shape).dump());
    std::size_t next = 0;
    Json made =
        typed("torch.Tensor",
              is_empty(tensor) ? Json::array() : nested_lists(tensor, data_positions(tensor), 0, next));
    if (!with_types_) return made;
    made["dtype"] = (tensor.dtype.empty() ? "" : "torch.") + tensor.dtype;
    made["shape"] = tensor.shape;
    return made;
  }

  bool with_types_;
};

}  // namespace

Value value_from_edtrace(JsonElement json) {
  return read_value(json, 0);
}

Json value_to_edtrace(const Value& value, EdtraceGeneration generation) {
  Json json = ValueWriter(generation == EdtraceGeneration::later).write(value, value.type);
  return json.is_null() ? "None" : json;  // null would say that there is no such variable
}

}  // namespace lectern
