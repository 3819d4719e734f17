#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "lecture/hooks.h"
#include "record/type_name.h"

namespace lectern {

/// The text of an argument as the author wrote it. `lectern instrument` puts it before the arguments of hooks
/// that show it: inspect(x) becomes inspect(named("x"), x).
struct ArgumentText {
  const char* text;
};
constexpr ArgumentText named(const char* text) {
  return {text};
}

/// A link to a function or class of this lecture, by its name.
void link_to_code(std::string_view name);

template <typename Function>
requires std::is_function_v<Function>
void link(ArgumentText name, Function* /*function*/) {
  link_to_code(name.text);
}
template <typename Function>
requires std::is_member_function_pointer_v<Function>
void link(ArgumentText name, Function /*function*/) {
  link_to_code(name.text);
}
/// The tool knows the names, but not the types, of what other files declare: a constant may hold an address.
template <typename Argument>
requires(!std::is_function_v<std::remove_pointer_t<std::remove_cvref_t<Argument>>> &&
         !std::is_member_function_pointer_v<std::remove_cvref_t<Argument>>) void link(ArgumentText /*name*/,
                                                                                      Argument&& argument) {
  link(std::forward<Argument>(argument));
}
/// Without the tool a function's name is not known.
template <typename Function>
requires std::is_function_v<Function>
void link(Function* /*function*/) {
  link_to_code("(a function of this lecture)");
}

template <typename Class>
requires(std::is_class_v<Class> || std::is_union_v<Class> || std::is_enum_v<Class>) void link() {
  link_to_code(type_name<Class>());
}

}  // namespace lectern
