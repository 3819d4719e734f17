#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "edtrace/value.h"
#include "trace/tensor_check.h"

namespace lectern {
namespace {

namespace dom = simdjson::dom;

constexpr int kDeepest = 60;  // three levels of our JSON each, of which a reader takes 200

/// Of other objects the contents are fields.
bool is_mapping(std::string_view type) {
  constexpr std::array<std::string_view, 4> kMappings{"dict", "Dict", "Counter", "mappingproxy"};
  return std::any_of(kMappings.begin(), kMappings.end(),
                     [&](std::string_view ending) { return type.ends_with(ending); });
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
  switch (json.type()) {
    case dom::element_type::BOOL:
      return bool{json};
    case dom::element_type::INT64:
      return std::int64_t{json};
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE:
      return is_float ? shortest(double{json}) : double{json};
    case dom::element_type::STRING:
      return special_float(json);
    default:
      return {};
  }
}

/// Appends the elements of nested lists in order; false when they are not of the tensor's shape, or no
/// numbers.
bool read_elements(JsonElement contents, const form::Tensor& tensor, std::size_t dimension,
                   std::vector<Element>& data) {
  if (dimension == tensor.shape.size()) {
    const bool is_float = tensor.dtype != "float64" && tensor.dtype.find("float") != std::string::npos;
    const auto element = read_element(contents, is_float);
    if (element) data.push_back(*element);
    return element.has_value();
  }
  dom::array list;
  if (contents.get(list) != simdjson::SUCCESS) return false;
  std::int64_t size = 0;
  for (const JsonElement inner : list) {
    if (++size > tensor.shape[dimension] || !read_elements(inner, tensor, dimension + 1, data)) return false;
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
  std::vector<Element> data;
  if (!read_elements(contents, tensor, 0, data)) return {};
  tensor.data = std::move(data);
  if (!is_consistent(tensor)) return {};
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

form::Entries read_entries(dom::object members, int depth) {
  form::Entries mapping;
  mapping.entries.reserve(members.size());
  for (const auto& [name, value] : members)
    mapping.entries.emplace_back(Value{.form = std::string(name)}, read_value(value, depth));
  return mapping;
}

form::Fields read_fields(dom::object members, int depth) {
  form::Fields aggregate;
  aggregate.fields_.reserve(members.size());
  for (const auto& [name, value] : members)
    aggregate.fields_.emplace_back(std::string(name), read_value(value, depth));
  return aggregate;
}

form::Items read_items(dom::array items, int depth) {
  form::Items list;
  list.items.reserve(items.size());
  for (const JsonElement item : items) list.items.push_back(read_value(item, depth));
  return list;
}

/// `type` is empty of a bare value.
Value::Form read_form(JsonElement json, std::string_view type, int depth) {
  switch (json.type()) {
    case dom::element_type::NULL_VALUE:
      return form::Null();
    case dom::element_type::BOOL:
      return bool{json};
    case dom::element_type::INT64:
      return std::int64_t{json};
    case dom::element_type::UINT64:
      return std::uint64_t{json};
    case dom::element_type::DOUBLE:
      return double{json};
    case dom::element_type::STRING:
      return read_text(std::string_view{json}, type);
    case dom::element_type::ARRAY:
      return read_items(json, depth + 1);
    case dom::element_type::OBJECT:
      break;
  }
  if (type.empty() || is_mapping(type)) return read_entries(json, depth + 1);
  return read_fields(json, depth + 1);
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

}  // namespace

Value value_from_edtrace(JsonElement json) {
  return read_value(json, 0);
}

}  // namespace lectern
