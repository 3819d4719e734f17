#include <cmath>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "edtrace/value.h"
#include "trace/tensor_check.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

constexpr const char* kEllipsis = "\u2026";

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

Json value_to_edtrace(const Value& value, EdtraceGeneration generation) {
  Json json = ValueWriter(generation == EdtraceGeneration::later).write(value, value.type);
  return json.is_null() ? "None" : json;  // null would say that there is no such variable
}

}  // namespace lectern
