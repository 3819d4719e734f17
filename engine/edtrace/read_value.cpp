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

namespace lectern {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMostDimensions = 16;
constexpr int kDeepest = 60;  // three levels of our JSON each, of which a reader takes 200
constexpr std::int64_t kLargestSize = std::int64_t{1} << 53;

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

std::optional<Element> read_element(JsonElement json, std::string_view dtype) {
  bool flag = false;
  if (json.get(flag) == simdjson::SUCCESS) return flag;
  std::int64_t integer = 0;
  if (json.get(integer) == simdjson::SUCCESS) return integer;
  double number = 0;
  if (json.get(number) == simdjson::SUCCESS) {
    const bool narrow = dtype == "bfloat16" || (dtype.starts_with("float") && dtype != "float64");
    return narrow ? shortest(number) : number;
  }
  std::string_view name;
  return json.get(name) == simdjson::SUCCESS ? special_float(name) : marked_float(json);
}

/// The elements of nested lists in order; false when they are not of the tensor's shape, or no numbers.
bool read_elements(JsonElement contents, const form::Tensor& tensor, std::size_t dimension,
                   std::vector<Element>& data) {
  if (dimension == tensor.shape.size()) {
    const auto element = read_element(contents, tensor.dtype);
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

std::vector<std::int64_t> read_shape(JsonElement json) {
  std::vector<std::int64_t> shape;
  dom::array sizes;
  bool right = json.get(sizes) == simdjson::SUCCESS && sizes.size() <= kMostDimensions;
  if (right) {
    for (const JsonElement size : sizes) {
      std::int64_t& number = shape.emplace_back();
      right = right && size.get(number) == simdjson::SUCCESS && number >= 0 && number <= kLargestSize;
    }
  }
  if (!right) throw Error("\"shape\" is not a list of at most " + std::to_string(kMostDimensions) + " sizes");
  return shape;
}

/// Nothing when there is no shape, or the contents are not of it.
std::optional<form::Tensor> read_tensor(JsonElement typed, JsonElement contents) {
  const auto shape = member<JsonElement>(typed, "shape");
  if (!shape || shape->is_null() || contents.is_null()) return {};
  form::Tensor tensor;
  tensor.shape = read_shape(*shape);
  tensor.dtype = text_member(typed, "dtype");
  if (tensor.dtype.starts_with("torch.")) tensor.dtype.erase(0, 6);
  std::vector<Element> data;
  if (!read_elements(contents, tensor, 0, data)) return {};
  tensor.data = std::move(data);
  return tensor;
}

Value read_value(JsonElement json, int depth);

Value::Form read_text(std::string_view text, std::string_view type, int depth) {
  if (const auto special = special_float(text); special && type == "float") return *special;
  if (type == "NoneType" && depth > 0) return form::Null();
  if (type == "str" || type.empty()) return std::string(text);
  return form::Text{std::string(text), {}};
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
      return read_text(std::string_view{json}, type, depth);
    case dom::element_type::ARRAY: {
      form::Items list;
      const dom::array items = json;
      list.items.reserve(items.size());
      for (const JsonElement item : items) list.items.push_back(read_value(item, depth + 1));
      return list;
    }
    case dom::element_type::OBJECT:
      break;
  }
  if (const auto special = marked_float(json)) return *special;
  if (const auto digits = marked_integer(json)) return form::Text{*digits, {}};
  const dom::object members = json;
  form::Fields aggregate;
  aggregate.fields_.reserve(members.size());
  for (const auto& [name, item] : members)
    aggregate.fields_.emplace_back(std::string(name), read_value(item, depth + 1));
  if (!type.empty() && !is_mapping(type)) return aggregate;
  form::Entries mapping;
  mapping.entries.reserve(aggregate.fields_.size());
  for (auto& [name, value] : aggregate.fields_)
    mapping.entries.emplace_back(Value{.form = std::move(name)}, std::move(value));
  return mapping;
}

/// The type that a bare value has in Python.
std::string python_type(const Value& value) {
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
  if (!type || !contents) {
    Value bare{.form = read_form(json, "", depth)};
    if (depth == 0 || !is_scalar(bare)) bare.type = python_type(bare);
    return bare;
  }
  Value value{.type = std::string(*type)};
  if (auto tensor = read_tensor(json, *contents)) {
    value.form = Boxed(*std::move(tensor));
  } else if (contents->is_null()) {
    value.form = form::Opaque();
  } else {
    value.form = read_form(*contents, *type, depth);
    // Inside of another value a scalar says its type itself.
    if (depth > 0 && is_scalar(value) && value.type == python_type(value)) value.type.clear();
  }
  return value;
}

}  // namespace

Value value_from_edtrace(JsonElement json) {
  return read_value(json, 0);
}

}  // namespace lectern
