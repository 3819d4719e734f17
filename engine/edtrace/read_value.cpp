#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "edtrace/document.h"
#include "edtrace/json_fields.h"
#include "edtrace/value.h"

namespace lectern {
namespace {

constexpr std::size_t kMostDimensions = 16;
constexpr int kDeepest = 60;  // three levels of our JSON each, of which a reader takes 200
constexpr std::int64_t kLargestSize = std::int64_t{1} << 53;

bool ends_with_word(std::string_view type, std::string_view word) {
  return type.substr(0, type.find('<')).ends_with(word);
}

bool is_string_type(std::string_view type) {
  return type == "str" || ends_with_word(type, "string") || ends_with_word(type, "string_view");
}

/// Of other objects the contents are fields.
bool is_mapping(std::string_view type) {
  constexpr std::array<std::string_view, 5> kMappings{"dict", "Dict", "map", "Counter", "mappingproxy"};
  return std::any_of(kMappings.begin(), kMappings.end(),
                     [&](std::string_view word) { return ends_with_word(type, word); });
}

/// An element of a tensor. Of narrow dtypes Python writes all digits of the double; we the shortest that read
/// back as the same float.
std::optional<Element> read_element(const Json& json, bool narrow) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) {
    const Value integer = value_from_json(json);
    if (const auto* const fits = integer.as<std::int64_t>(); fits != nullptr) return *fits;
  }
  auto number = json.is_string() ? special_float(json.get_ref<const std::string&>()) : as_double(json);
  if (!number) return {};
  const auto as_float = static_cast<float>(*number);
  if (narrow && std::isfinite(*number) && *number == as_float) {
    std::array<char, kRealLength> digits{};
    std::from_chars(digits.data(), put_real(digits.data(), as_float), *number);
  }
  return *number;
}

/// The elements of nested lists in order; false when they are not of this shape, or no numbers.
bool read_elements(const Json& contents, const std::vector<std::int64_t>& shape, std::size_t dimension,
                   bool narrow, std::vector<Element>& data) {
  if (dimension < shape.size()) {
    return contents.is_array() && std::cmp_equal(contents.size(), shape[dimension]) &&
           std::all_of(contents.begin(), contents.end(), [&](const Json& inner) {
             return read_elements(inner, shape, dimension + 1, narrow, data);
           });
  }
  const auto element = read_element(contents, narrow);
  if (element) data.push_back(*element);
  return element.has_value();
}

std::vector<std::int64_t> read_shape(const Json& json) {
  std::vector<std::int64_t> shape;
  bool right = json.is_array() && json.size() <= kMostDimensions;
  for (std::size_t d = 0; right && d < json.size(); ++d) {
    right = json[d].is_number_unsigned() && json[d].get<std::uint64_t>() <= kLargestSize;
    if (right) shape.push_back(json[d].get<std::int64_t>());
  }
  if (!right) throw Error("\"shape\" is not a list of at most " + std::to_string(kMostDimensions) + " sizes");
  return shape;
}

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    const bool large = __builtin_mul_overflow(stride, std::max<std::int64_t>(1, shape[d]), &stride);
    if (large || stride > kLargestSize) stride = kLargestSize;
  }
  return strides;
}

/// Nothing when the contents are not of the shape.
std::optional<Value> read_tensor(const Json& typed, const Json& contents) {
  const Json& shape = part(typed, "shape");
  if (shape.is_null() || contents.is_null()) return {};
  form::Tensor tensor;
  tensor.shape = read_shape(shape);
  tensor.strides = contiguous_strides(tensor.shape);
  tensor.dtype = text_member(typed, "dtype");
  if (tensor.dtype.starts_with("torch.")) tensor.dtype.erase(0, 6);
  std::vector<Element> data;
  if (!read_elements(contents, tensor.shape, 0, is_narrow(tensor.dtype), data)) return {};
  tensor.data = std::move(data);
  return Value{.type = text_member(typed, "type"), .form = Boxed(std::move(tensor))};
}

/// The type that a bare value has in Python.
const char* python_type(const Json& json) {
  if (json.is_object()) return "dict";
  if (json.is_array()) return "list";
  if (json.is_string()) return "str";
  if (json.is_boolean()) return "bool";
  if (json.is_number_float()) return "float";
  return json.is_null() ? "NoneType" : "int";
}

/// What has no form of its own, as it was printed.
Value printed(std::string type, std::string text, int depth) {
  if (depth > 0 && type == "NoneType") return {};
  return {.type = std::move(type), .form = form::Text{std::move(text), {}}};
}

Value read_string(std::string type, const std::string& text, int depth) {
  const auto special = type == "float" ? special_float(text) : std::nullopt;
  if (!special && !is_string_type(type)) return printed(std::move(type), text, depth);
  if (depth > 0 && (special || type == "str")) type.clear();
  Value value{.type = std::move(type), .form = text};
  if (special) value.form = *special;
  return value;
}

/// With its type, or bare.
Value read_value(const Json& json, int depth) {
  if (depth > kDeepest)
    throw Error("a value is nested more than " + std::to_string(kDeepest) + " levels deep");
  const Json& said_type = part(json, "type");
  const Json* const said = said_type.is_string() ? member(json, "contents") : nullptr;
  const Json& contents = said == nullptr ? json : *said;
  std::string type = said == nullptr ? python_type(json) : said_type.get<std::string>();
  if (said != nullptr) {
    if (auto tensor = read_tensor(json, contents)) return *std::move(tensor);
    if (contents.is_null()) return {.type = std::move(type), .form = form::Opaque()};
  }
  if (contents.is_null()) return printed(std::move(type), "None", depth);
  if (const auto digits = long_integer(contents)) return printed(std::move(type), *digits, depth);
  if (contents.is_string()) return read_string(std::move(type), contents.get<std::string>(), depth);
  if (contents.is_array()) {
    form::Items items;
    items.items.reserve(contents.size());
    for (const Json& item : contents) items.items.push_back(read_value(item, depth + 1));
    return {.type = std::move(type), .form = std::move(items)};
  }
  if (contents.is_object() && is_mapping(type)) {
    form::Entries map;
    map.entries.reserve(contents.size());
    for (const auto& [name, item] : contents.items())
      map.entries.emplace_back(Value{.form = name}, read_value(item, depth + 1));
    return {.type = std::move(type), .form = std::move(map)};
  }
  if (contents.is_object()) {
    form::Fields aggregate;
    aggregate.fields_.reserve(contents.size());
    for (const auto& [name, item] : contents.items())
      aggregate.fields_.emplace_back(name, read_value(item, depth + 1));
    return {.type = std::move(type), .form = std::move(aggregate)};
  }
  // Inside of another value a number or boolean says its type itself.
  Value scalar = value_from_json(contents);
  if (depth == 0 || type != python_type(contents)) scalar.type = std::move(type);
  return scalar;
}

}  // namespace

Value value_from_edtrace(const Json& json) {
  return read_value(json, 0);
}

}  // namespace lectern
