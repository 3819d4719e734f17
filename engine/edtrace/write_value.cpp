#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "edtrace/value.h"
#include "trace/encode.h"
#include "trace/tensor_check.h"

namespace lectern {
namespace {

constexpr const char* kEllipsis = "\u2026";

/// `unsigned long`, `double`: the viewer rounds numbers of Python's types only, and groups their digits.
bool is_number_type(std::string_view type) {
  constexpr std::array<std::string_view, 8> kWords{"char",  "short",  "int",    "long",
                                                   "float", "double", "signed", "unsigned"};
  while (!type.empty()) {
    const std::size_t end = std::min(type.find(' '), type.size());
    if (std::find(kWords.begin(), kWords.end(), type.substr(0, end)) == kWords.end()) return false;
    type.remove_prefix(std::min(end + 1, type.size()));
  }
  return true;
}

bool is_integer(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  return !digits.empty() && digits.front() != '0' &&
         digits.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string special_name(double value) {
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/// Text that is not UTF-8 as Python writes bytes.
std::string shown_text(const std::string& text) {
  if (valid_utf8(text)) return text;
  constexpr const char* kHex = "0123456789abcdef";
  std::string out = "b'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  return out + "'";
}

/// NaN and infinities as strings, narrow floats with all their digits.
std::string element_text(const Element& element, bool narrow) {
  const auto* const real = std::get_if<double>(&element);
  if (real == nullptr) return to_json(element);
  if (!std::isfinite(*real)) return to_json(special_name(*real));
  return to_json(narrow ? static_cast<double>(static_cast<float>(*real)) : *real);
}

/// Nested lists from dimension `d` on, out of the elements from `next` on. Where positions are left out there
/// is a gap.
std::string nested_lists(const form::Tensor& tensor, const std::vector<std::vector<std::int64_t>>& positions,
                         std::size_t d, std::size_t& next) {
  if (d == positions.size()) return element_text((*tensor.data)[next++], is_narrow(tensor.dtype));
  const std::size_t depth = positions.size() - d - 1;
  std::string out = "[";
  std::int64_t expected = 0;
  for (const std::int64_t position : positions[d]) {
    if (expected > 0) out += ',';
    if (position != expected)
      out += std::string(depth, '[') + '"' + kEllipsis + '"' + std::string(depth, ']') + ',';
    expected = position + 1;
    out += nested_lists(tensor, positions, d + 1, next);
  }
  return out + "]";
}

class ValueWriter {
 public:
  explicit ValueWriter(bool with_types) : with_types_(with_types) {}

  std::string write(const Value& value) const { return write(value, value.type); }

 private:
  /// `type` is its own, or that of a value which this one is the value of.
  std::string write(const Value& value, const std::string& type) const {
    if (type == "NoneType" || value.as<form::Null>() != nullptr)
      return with_types_ ? R"({"type":"NoneType","contents":"None"})" : "null";
    return std::visit([&](const auto& form) { return write_form(value, type, form); }, value.form);
  }

  std::string typed(const std::string& type, const std::string& contents) const {
    return with_types_ ? "{\"type\":" + to_json(type) + ",\"contents\":" + contents + "}" : contents;
  }
  std::string text(const std::string& type, const std::string& contents) const {
    return typed(type, to_json(contents));
  }

  template <typename Form>
  std::string write_form(const Value& value, const std::string& type, const Form& form) const {
    const auto type_or = [&type](const char* other) { return type.empty() ? other : type; };
    if constexpr (std::is_arithmetic_v<Form>) {
      return number(type, form);
    } else if constexpr (std::is_same_v<Form, std::string>) {
      const char* const own = valid_utf8(form) ? "str" : "bytes";
      return text(type_or(own), shown_text(form) + (value.size ? kEllipsis : ""));
    } else if constexpr (std::is_same_v<Form, form::Items>) {
      std::string list;
      for (const Value& item : form.items) list += (list.empty() ? "" : ",") + write(item);
      if (value.size) list += (list.empty() ? "" : ",") + text("str", kEllipsis);
      return typed(type_or("list"), "[" + list + "]");
    } else if constexpr (std::is_same_v<Form, form::Entries>) {
      NamedValues members;
      for (const auto& [key, item] : form.entries) {
        const auto* const name = key.template as<std::string>();
        members.emplace_back(name == nullptr ? plain_value_text(key) : shown_text(*name), &item);
      }
      return object(type_or("dict"), std::move(members), value.size.has_value());
    } else if constexpr (std::is_same_v<Form, form::Fields>) {
      NamedValues members;
      for (const auto& [name, item] : form.fields_) members.emplace_back(name, &item);
      return object(type_or("dict"), std::move(members), value.size.has_value());
    } else if constexpr (std::is_same_v<Form, form::Text>) {
      const bool is_number = type == "int" && is_integer(form.text);
      return is_number ? typed(type, form.text) : text(type_or("str"), form.text);
    } else if constexpr (std::is_same_v<Form, form::Pointer>) {
      return write(*form.to);
    } else if constexpr (std::is_same_v<Form, form::Typed>) {
      return write(*form.value, type.empty() ? form.value->type : type);
    } else if constexpr (std::is_same_v<Form, Boxed<form::Tensor>>) {
      return tensor(type_or("Tensor"), *form);
    } else if constexpr (std::is_same_v<Form, form::Storage>) {
      return text(type_or("Storage"), "storage " + std::to_string(form.storage));
    } else if constexpr (std::is_same_v<Form, form::Reference>) {
      return text("str", "#" + std::to_string(form.ref));
    } else if constexpr (std::is_same_v<Form, form::Opaque>) {
      return text(type_or("object"), type);
    } else if constexpr (std::is_same_v<Form, form::Unknown>) {
      return text("str", form.json.text);
    } else {
      return text("str", kEllipsis);
    }
  }

  template <typename Number>
  std::string number(const std::string& type, Number number) const {
    constexpr bool kReal = std::is_floating_point_v<Number>, kBool = std::is_same_v<Number, bool>;
    // What is no number to JSON is shown without quotes as a float only.
    if constexpr (kReal) {
      if (!std::isfinite(number)) return text("float", special_name(number));
    }
    const bool keep = !type.empty() && (kBool || type == "int" || type == "float" || !is_number_type(type));
    return typed(keep ? type : kBool ? "bool" : kReal ? "float" : "int", to_json(number));
  }

  std::string tensor(const std::string& type, const form::Tensor& tensor) const {
    const std::string shape = to_json(tensor.shape);
    // The viewer looks into the first of three dimensions' rows, even where there is none.
    if (!tensor.data || (is_empty(tensor) && tensor.shape.size() >= 3))
      return text(type, tensor.dtype + shape);
    std::size_t next = 0;
    const std::string contents =
        is_empty(tensor) ? "[]" : nested_lists(tensor, data_positions(tensor), 0, next);
    const bool numpy = type == "numpy.ndarray";
    std::string out = typed(numpy ? type : "torch.Tensor", contents);
    if (!with_types_) return out;
    out.pop_back();
    const std::string dtype = (numpy || tensor.dtype.empty() ? "" : "torch.") + tensor.dtype;
    return out + ",\"dtype\":" + to_json(dtype) + ",\"shape\":" + shape + "}";
  }

  using NamedValues = std::vector<std::pair<std::string, const Value*>>;

  /// Where keys are equal as text, a list of pairs, so that none is lost.
  std::string object(const std::string& type, NamedValues members, bool cut) const {
    static const Value kMore{.form = std::string(kEllipsis)};
    if (cut) members.emplace_back(kEllipsis, &kMore);
    std::vector<std::string_view> names;
    for (const auto& [name, item] : members) names.push_back(name);
    std::sort(names.begin(), names.end());
    const bool unique = std::adjacent_find(names.begin(), names.end()) == names.end();
    std::string out;
    for (const auto& [name, item] : members) {
      if (!out.empty()) out += ',';
      out += unique ? to_json(name) + ":" + write(*item)
                    : typed("tuple", "[" + text("str", name) + "," + write(*item) + "]");
    }
    return typed(type, unique ? "{" + out + "}" : "[" + out + "]");
  }

  bool with_types_;
};

}  // namespace

std::string value_to_edtrace(const Value& value, EdtraceGeneration generation) {
  const std::string text = ValueWriter(generation == EdtraceGeneration::later).write(value);
  return text == "null" ? "\"None\"" : text;  // null would say that there is no such variable
}

std::string plain_value_text(const Value& value) {
  return ValueWriter(false).write(value);
}

}  // namespace lectern
