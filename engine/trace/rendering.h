#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "trace/fields.h"
#include "trace/rendering_kinds.h"
#include "trace/value.h"

namespace lectern::trace_model {
namespace rendering {

/// A value in place of the line that inspects it.
struct Inspected {
  static constexpr std::string_view kKind = "value", kHook = "inspect";
  std::string name;
  Value value;
  static constexpr auto fields() {
    return field_list(Field{"name", &Inspected::name}, Field{"value", &Inspected::value, kAlways});
  }
  bool operator==(const Inspected&) const = default;
};

/// Of a kind that this version does not know, or without one.
struct Unknown {
  std::string kind;
  JsonText json;
  bool operator==(const Unknown&) const = default;
};

}  // namespace rendering

struct Rendering {
  template <typename... Kind>
  using FormOf = std::variant<Kind..., rendering::Inspected, rendering::Unknown>;
  using Form = rendering::Kinds<FormOf>;

  Form form;
  JsonText unknown = {};  ///< an object of the fields that this version does not know

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&form);
  }
  bool operator==(const Rendering&) const = default;
};

}  // namespace lectern::trace_model
