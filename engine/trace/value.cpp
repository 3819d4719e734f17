#include "trace/value.h"

namespace lectern::trace_model {

namespace form {
// Not defaulted: clang 14 crashes on that.
bool Items::operator==(const Items& other) const {
  return items == other.items;
}
bool Entries::operator==(const Entries& other) const {
  return entries == other.entries;
}
bool Fields::operator==(const Fields& other) const {
  return fields_ == other.fields_;
}
}  // namespace form

std::optional<double> number(const Value& value) {
  return std::visit(
      [](const auto& form) -> std::optional<double> {
        using Form = std::remove_cvref_t<decltype(form)>;
        if constexpr (std::is_arithmetic_v<Form> && !std::is_same_v<Form, bool>)
          return static_cast<double>(form);
        return std::nullopt;
      },
      value.form);
}

double number(const Element& element) {
  return std::visit([](auto value) { return static_cast<double>(value); }, element);
}

bool is_scalar(const Value& value) {
  return std::visit(
      [](const auto& form) {
        using Form = std::remove_cvref_t<decltype(form)>;
        return std::is_same_v<Form, form::Null> || std::is_arithmetic_v<Form> ||
               std::is_same_v<Form, std::string>;
      },
      value.form);
}

bool is_bare(const Value& value) {
  return is_scalar(value) && value.type.empty() && value.id == 0 && !value.size && value.unknown.empty();
}

}  // namespace lectern::trace_model
