#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "record/checked_access.h"
#include "record/claim.h"
#include "record/class_value.h"
#include "record/fault_guard.h"
#include "record/probe.h"
#include "record/recorder.h"
#include "record/scalar_value.h"

/// Any C++ object as a value of a trace. How a type is shown is decided by what it can do, in the order of
/// write_value and write_class; a user-defined type takes part through to_value (value_writer.h).
namespace lectern {
namespace values {

template <typename T>
concept HasToValue = requires(ValueWriter& out, const T& value) {
  to_value(out, value);
};

/// A view that computes its elements: reading them may call code of the lecture that has side effects.
template <typename T>
concept ComputedView = std::ranges::enable_view<T> && !requires(const T& view) {
  view.data();
};

/// Variables found by `*` that have a value: not those of an incomplete type, or arrays of unknown length.
template <typename T>
inline constexpr bool is_showable = [] {
  if constexpr (std::is_function_v<T>) {
    return true;
  } else if constexpr (std::is_unbounded_array_v<T> || !Complete<T>) {
    return false;
  } else {
    return !ComputedView<std::remove_cv_t<T>>;
  }
}();

/// The text of a variable whose value `write` writes, or of the exception that it throws.
std::string variable_text(void (*write)(ValueWriter& out, const void* context), const void* context,
                          std::string_view type, std::size_t budget);
/// The same, or `otherwise` where reading it is a fault.
std::string guarded_text(void (*write)(ValueWriter& out, const void* context), const void* context,
                         std::string_view type, std::string otherwise);

}  // namespace values

template <typename T>
void write_value(ValueWriter& out, const T& value) {
  if (out.skipping()) return;  // deep or endless structures end here
  using Plain = std::remove_cv_t<T>;
  // NOLINTBEGIN(bugprone-branch-clone): branches that a type does not take are discarded
  if constexpr (values::HasToValue<Plain>) {
    to_value(out, value);
  } else if constexpr (std::is_same_v<Plain, std::nullptr_t>) {
    out.begin_typed(type_name<Plain>());
    out.null();
    out.end();
  } else if constexpr (std::is_enum_v<Plain>) {
    values::write_enum(out, static_cast<Plain>(value));
  } else if constexpr (std::is_arithmetic_v<Plain> || std::is_same_v<Plain, values::Int128> ||
                       std::is_same_v<Plain, values::UInt128>) {
    values::write_scalar(out, static_cast<Plain>(value));
  } else if constexpr (ExtendedFloat<Plain>) {
    values::write_scalar(
        out, static_cast<std::conditional_t<sizeof(Plain) <= sizeof(float), float, double>>(value));
  } else if constexpr (std::is_array_v<Plain>) {
    if constexpr (values::Character<std::remove_cv_t<std::remove_extent_t<Plain>>>) {
      values::write_string_array(out, value);
    } else {
      values::write_range(out, value, type_name<Plain>());
    }
  } else if constexpr (std::is_pointer_v<Plain>) {
    values::write_pointer(out, static_cast<Plain>(value), type_name<Plain>());
  } else if constexpr (std::is_function_v<Plain>) {
    values::write_pointer(out, std::addressof(value), type_name<Plain>());
  } else if constexpr (values::is_string<Plain>) {
    values::write_string(out, value);
  } else if constexpr (std::is_class_v<Plain> && !std::is_volatile_v<T>) {
    values::write_class(out, value);
  } else if constexpr (std::is_union_v<Plain> && !std::is_volatile_v<T>) {
    values::write_union(out, value);
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

/// The text of a variable that `*` found: it, or what it refers to, may no longer exist. Where it cannot be
/// read, the type is shown, and the address of a pointer.
template <typename T>
std::string local_text(const T& value) {
  const T* const address = std::addressof(value);
  std::string otherwise;
  if constexpr (std::is_pointer_v<T>) {
    ValueWriter(otherwise).address(type_name<T>(), reinterpret_cast<std::uintptr_t>(value));
  } else {
    ValueWriter(otherwise).opaque(type_name<T>());
    if constexpr (!std::is_function_v<T>) {
      if (values::poisoned(address, sizeof(T))) return otherwise;
    }
  }
  return values::guarded_text(
      [](ValueWriter& out, const void* context) {
        values::write_part(out, **static_cast<const T* const*>(context));
      },
      &address, type_name<T>(), std::move(otherwise));
}

namespace probe {

template <typename T>
constexpr const Inspection& Inspection::show(const char* text, const T& value) const {
  if (frame_ != nullptr && !record::left_out()) record::add_variable(text, value_text(value));
  return *this;
}

template <typename T>
constexpr const Inspection& Inspection::show_full(const char* text, const T& value) const {
  if (frame_ != nullptr && !record::left_out())
    record::add_variable(text, value_text(value, ValueWriter::kUnlimited));
  return *this;
}

template <typename T>
constexpr const Inspection& Inspection::local(const char* name, const T& value, SiteRange scope) const {
  if constexpr (values::is_showable<T>) {
    if (frame_ != nullptr && !record::left_out())
      record::add_local(*frame_, name, local_text(value), scope, true);
  }
  return *this;
}

template <typename T>
constexpr const Inspection& Inspection::watch(const char* name, const T& value, SiteRange scope) const {
  if constexpr (values::is_showable<T>) {
    if (frame_ != nullptr && !record::left_out())
      record::add_local(*frame_, name, local_text(value), scope, false);
  }
  return *this;
}

template <typename T>
constexpr const Inspection& Inspection::argument(const char* name, const T& value) const {
  if constexpr (values::is_showable<T>) {
    if (frame_ != nullptr && !record::left_out()) record::add_argument(*frame_, name, local_text(value));
  }
  return *this;
}

}  // namespace probe
}  // namespace lectern
