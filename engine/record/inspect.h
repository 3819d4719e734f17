#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "record/claim.h"
#include "record/class_value.h"
#include "record/probe.h"
#include "record/recorder.h"
#include "record/scalar_value.h"

/// Any C++ object as a value of a trace. How a type is shown is decided by what it can do, in the order of
/// write_value and write_class; a type of one's own joins by to_value (value_writer.h).
namespace lectern {
namespace values {

template <typename T>
concept HasToValue = requires(ValueWriter& out, const T& value) {
  to_value(out, value);
};

/// The text of a variable whose value `write` writes, or of the exception that it throws.
std::string variable_text(void (*write)(ValueWriter& out, const void* context), const void* context,
                          std::string_view type, std::size_t budget);

}  // namespace values

template <typename T>
void write_value(ValueWriter& out, const T& value) {
  if (out.skipping()) return;  // deep or endless structures end here
  using Plain = std::remove_cv_t<T>;
  // NOLINTBEGIN(bugprone-branch-clone): of the branches that a type does not take nothing is left
  if constexpr (values::HasToValue<Plain>) {
    to_value(out, value);
  } else if constexpr (std::is_same_v<Plain, std::nullptr_t>) {
    out.null();
  } else if constexpr (std::is_enum_v<Plain>) {
    values::write_enum(out, static_cast<Plain>(value));
  } else if constexpr (std::is_arithmetic_v<Plain> || std::is_same_v<Plain, values::Int128> ||
                       std::is_same_v<Plain, values::UInt128>) {
    values::write_scalar(out, static_cast<Plain>(value));
  } else if constexpr (std::is_array_v<Plain>) {
    if constexpr (values::Character<std::remove_cv_t<std::remove_extent_t<Plain>>>) {
      values::write_string_array(out, value);
    } else {
      values::write_range(out, value, type_name<Plain>());
    }
  } else if constexpr (std::is_pointer_v<Plain>) {
    values::write_pointer(out, static_cast<Plain>(value), type_name<Plain>());
  } else if constexpr (values::is_string<Plain>) {
    values::write_string(out, value);
  } else if constexpr (std::is_class_v<Plain> && !std::is_volatile_v<T>) {
    values::write_class(out, value);
  } else {
    out.opaque(type_name<Plain>());
  }
  // NOLINTEND(bugprone-branch-clone)
}

/// The text of one variable: an object with the value's type.
template <typename T>
std::string value_text(const T& value, std::size_t budget = ValueWriter::kDefaultBudget) {
  const T* const address = std::addressof(value);
  return values::variable_text(
      [](ValueWriter& out, const void* context) {
        values::write_part(out, **static_cast<const T* const*>(context));
      },
      &address, type_name<T>(), budget);
}

namespace probe {

template <typename T>
constexpr const Inspection& Inspection::show(const char* text, const T& value) const {
  if (frame_ != nullptr) record::add_variable(text, value_text(value));
  return *this;
}

template <typename T>
constexpr const Inspection& Inspection::show_full(const char* text, const T& value) const {
  if (frame_ != nullptr) record::add_variable(text, value_text(value, ValueWriter::kUnlimited));
  return *this;
}

}  // namespace probe
}  // namespace lectern
