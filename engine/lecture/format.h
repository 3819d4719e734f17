#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/core.h>

#include "lecture/code_link.h"
#include "lecture/hooks.h"
#include "record/inspect.h"
#include "record/pause.h"

namespace lectern {
namespace nn {
class Module;
}  // namespace nn

/// A value of a trace (JSON text) as a person would write it: [1, 2], {a: 1}, Point{x: 1, y: 2}.
std::string readable_value(std::string_view json);

/// {fmt}, with a format string that may be wrong: an error at the lecture's line then.
std::string format_text(std::string_view format, fmt::format_args arguments);

/// Shows a value in place of the line.
void inspect_value(std::string_view name, const std::string& json);

/// What {fmt} is given for an argument: a module as PyTorch prints it; else itself, or how its value is shown
/// when {fmt} does not know its type.
template <typename T>
decltype(auto) formattable(const T& argument) {
  if constexpr (std::is_base_of_v<nn::Module, T>) {
    return to_string(argument);
  } else if constexpr (fmt::is_formattable<T>::value && !std::is_enum_v<T>) {
    return (argument);
  } else {
    return readable_value(value_text(argument));
  }
}

/// A text with {fmt}'s format arguments: text("mean {:.2f}", mean).
template <typename First, typename... Rest>
void text(std::string_view format, const First& first, const Rest&... rest) {
  std::string formatted;
  {
    const record::Pause pause;
    formatted = [&](const auto&... arguments) {
      return format_text(format, fmt::make_format_args(arguments...));
    }(formattable(first), formattable(rest)...);
  }
  text(std::string_view(formatted));
}

/// Values as renderings, in place of the line. `lectern instrument` puts their names before them.
inline void inspect() {}
template <typename T, typename... Rest>
void inspect(Named name, const T& value, const Rest&... rest);
template <typename T, typename... Rest>
requires(!std::is_same_v<T, Named>) void inspect(const T& value, const Rest&... rest) {
  inspect(Named{""}, value, rest...);
}
template <typename T, typename... Rest>
void inspect(Named name, const T& value, const Rest&... rest) {
  std::string json;
  {
    const record::Pause pause;
    json = value_text(value);
  }
  inspect_value(name.text, json);
  if constexpr (sizeof...(rest) > 0) inspect(rest...);
}

}  // namespace lectern
