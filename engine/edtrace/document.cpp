#include "edtrace/document.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "trace/json_problem.h"
#include "trace/tensor_check.h"

namespace lectern {
namespace {

namespace dom = simdjson::dom;

constexpr int kDeepest = 60;  // three levels of our JSON each, of which a reader takes 200

std::string_view valid_number(std::string_view token) {
  if (token == "NaN") return "nan";
  if (token == "Infinity") return "inf";
  return token == "-Infinity" ? "-inf" : token;
}

bool is_long_integer(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::int64_t negative = 0;
  std::uint64_t positive = 0;
  const auto result = text.starts_with('-') ? std::from_chars(text.data(), end, negative)
                                            : std::from_chars(text.data(), end, positive);
  return result.ec == std::errc::result_out_of_range && result.ptr == end;
}

/// The number that a string stands for which valid_number() made, if it does.
std::optional<double> special_float(std::string_view text) {
  if (text != "nan" && text != "inf" && text != "-inf") return {};
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Python writes all digits of the double; of a float the shortest that read back as the same one do.
double shortest(double number) {
  const auto single = static_cast<float>(number);
  if (number != single) return number;
  char digits[kRealLength];
  std::from_chars(digits, put_real(digits, single), number);
  return number;
}

std::optional<Element> read_element(JsonElement json, bool is_single) {
  if (json.is_bool()) return bool{json};
  if (json.is_int64()) return std::int64_t{json};
  if (json.is_number()) return is_single ? shortest(double{json}) : double{json};
  if (json.is_string()) return special_float(json);
  return {};
}

/// Appends the elements of nested lists in order; false when they are not of the tensor's shape, or no
/// numbers.
bool read_elements(JsonElement contents, form::Tensor& tensor, std::size_t dimension) {
  if (dimension == tensor.shape.size()) {
    const bool is_single = tensor.dtype != "float64" && tensor.dtype.find("float") != std::string::npos;
    const auto element = read_element(contents, is_single);
    if (element) tensor.data->push_back(*element);
    return element.has_value();
  }
  dom::array list;
  if (contents.get(list) != simdjson::SUCCESS) return false;
  std::int64_t left = tensor.shape[dimension];
  for (const JsonElement inner : list) {
    if (--left < 0 || !read_elements(inner, tensor, dimension + 1)) return false;
  }
  return left == 0;
}

/// Nothing when there is no shape, or the contents are not of it.
std::optional<form::Tensor> read_tensor(JsonElement typed, JsonElement contents) {
  const auto shape = member<dom::array>(typed, "shape");
  if (!shape) return {};
  form::Tensor tensor;
  for (const JsonElement size : *shape) {
    if (size.get(tensor.shape.emplace_back()) != simdjson::SUCCESS) return {};
  }
  tensor.dtype = shown_text(typed["dtype"]);
  if (tensor.dtype.starts_with("torch.")) tensor.dtype.erase(0, 6);
  tensor.data.emplace();
  if (!read_elements(contents, tensor, 0) || !is_consistent(tensor)) return {};
  return tensor;
}

/// Of other objects the contents are fields.
bool is_mapping(std::string_view type) {
  constexpr std::string_view kMappings[] = {"dict", "Dict", "Counter", "mappingproxy"};
  return std::ranges::any_of(kMappings, [&](std::string_view ending) { return type.ends_with(ending); });
}

Value read_text(std::string_view text, std::string_view type) {
  const auto special = special_float(text);
  if (special && (type == "float" || type.empty())) return {"float", *special};
  if (type == "str" || (type.empty() && !is_long_integer(text))) return {"str", std::string(text)};
  return {"int", form::Text{std::string(text), {}}};
}

/// With the type that it has in Python where `type`, which its document names, is empty.
Value read_contents(JsonElement json, std::string_view type, int depth) {
  if (json.is_null()) return {"NoneType", form::Null()};
  if (json.is_bool()) return {"bool", bool{json}};
  if (json.is_int64()) return {"int", std::int64_t{json}};
  if (json.is_uint64()) return {"int", std::uint64_t{json}};
  if (json.is_double()) return {"float", double{json}};
  if (json.is_string()) return read_text(json, type);
  ++depth;
  if (dom::array items; json.get(items) == simdjson::SUCCESS) {
    form::Items list;
    list.items.reserve(items.size());
    for (const JsonElement item : items) list.items.push_back(value_from_edtrace(item, depth));
    return {"list", std::move(list)};
  }
  const dom::object members(json);
  if (!type.empty() && !is_mapping(type)) {
    form::Fields fields;
    fields.fields_.reserve(members.size());
    for (const auto& [name, value] : members)
      fields.fields_.emplace_back(std::string(name), value_from_edtrace(value, depth));
    return {"", std::move(fields)};
  }
  form::Entries entries;
  entries.entries.reserve(members.size());
  for (const auto& [name, value] : members)
    entries.entries.emplace_back(Value{.form = std::string(name)}, value_from_edtrace(value, depth));
  return {"dict", std::move(entries)};
}

}  // namespace

JsonElement parse_python_json(std::string_view text, const std::string& name, simdjson::dom::parser& parser) {
  const std::string valid = with_valid_numbers(text);
  JsonElement root;
  simdjson::error_code error = parser.allocate(valid.size(), kDeepestJson);
  if (error == simdjson::SUCCESS) error = parser.parse(valid).get(root);
  if (error == simdjson::SUCCESS) return root;
  const auto problem = json_problem(valid);
  const auto end = problem ? valid.begin() + static_cast<std::ptrdiff_t>(problem->position) : valid.end();
  const auto line = static_cast<int>(std::count(valid.begin(), end, '\n')) + 1;
  throw Error({name, line},
              "this is not JSON: " + (problem ? problem->what : simdjson::error_message(error)));
}

std::string with_valid_numbers(std::string_view text) {
  constexpr std::string_view kTokens = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.";
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    std::size_t end = std::max<std::size_t>(text.find_first_not_of(kTokens), 1);
    if (text.front() == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      ++end;
    }
    const std::string_view token = text.substr(0, end), number = valid_number(token);
    const char* const quote = number != token || is_long_integer(token) ? "\"" : "";
    valid.append(quote).append(number).append(quote);
    text.remove_prefix(token.size());
  }
  return valid;
}

Value value_from_edtrace(JsonElement json, int depth) {
  if (depth > kDeepest)
    throw Error("a value is nested more than " + std::to_string(kDeepest) + " levels deep");
  const auto type = member<std::string_view>(json, "type");
  JsonElement contents;
  if (!type || json["contents"].get(contents) != simdjson::SUCCESS) {
    Value bare = read_contents(json, "", depth);
    if (depth > 0 && is_scalar(bare)) bare.type.clear();  // inside of another value it says it itself
    return bare;
  }
  if (auto tensor = read_tensor(json, contents)) return {std::string(*type), Boxed(*std::move(tensor))};
  if (contents.is_null()) return {std::string(*type), form::Opaque()};
  Value value = read_contents(contents, *type, depth);
  value.type = depth > 0 && is_scalar(value) && value.type == *type ? "" : *type;
  return value;
}

std::string shown_text(simdjson::simdjson_result<JsonElement> json) {
  if (json.error() != simdjson::SUCCESS || json.is_null()) return {};
  return json.is_string() ? std::string(json.get_string().value()) : simdjson::minify(json.value());
}

}  // namespace lectern
