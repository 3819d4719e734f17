#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include "lecture/code_link.h"
#include "lecture/format_string.h"
#include "lecture/hooks.h"
#include "record/inspect.h"
#include "record/pause.h"

namespace lectern {
namespace nn {
class Module;
}  // namespace nn

/// A value of a trace (JSON text) as a person would write it: [1, 2], {"a": 1}, Point{x: 1, y: 2}. Strings
/// and characters within it are in quotes, as std::format writes them; the value itself only where asked for.
std::string readable_value(std::string_view json, bool quoted = false);

/// The text of a format (FormatString), dedented before `count` arguments are put in; an error at the
/// lecture's line where they do not match it. `hook` begins the message.
std::string format_text(std::string_view hook, std::string_view format, std::size_t count,
                        fmt::format_args arguments);

/// Shows a value in place of the line.
void inspect_value(std::string_view name, const std::string& json);

/// What {fmt} is given for an argument: a module as PyTorch prints it; any other argument itself, or the text
/// of its value when {fmt} does not know its type or shows it otherwise (nullptr).
template <typename T>
decltype(auto) formattable(const T& argument) {
  if constexpr (std::is_base_of_v<nn::Module, T>) {
    return to_string(argument);
  } else if constexpr (fmt::is_formattable<T>::value && !std::is_enum_v<T> && !std::is_null_pointer_v<T>) {
    return (argument);
  } else {
    return readable_value(value_text(argument));
  }
}

/// The format for these arguments; not deduced from itself.
template <typename... Arguments>
using FormatFor =
    FormatString<std::remove_cvref_t<decltype(formattable(std::declval<const Arguments&>()))>...>;

template <typename... Arguments>
std::string formatted(std::string_view hook, std::string_view format, const Arguments&... arguments) {
  const record::Pause pause;
  return [&](const auto&... shown) {
    return format_text(hook, format, sizeof...(shown), fmt::make_format_args(shown...));
  }(formattable(arguments)...);
}

/// Texts with arguments: text("mean {:.2f}", mean).
template <typename First, typename... Rest>
void text(FormatFor<First, Rest...> format, const First& first, const Rest&... rest) {
  const trace_model::rendering::Text shown{formatted("text", format, first, rest...)};
  show(&shown);
}
/// Refuses none, and those that are not each in a language of its own.
void check_translations(std::initializer_list<Translation> translations);
template <typename First, typename... Rest>
void text(std::initializer_list<Translation> translations, const First& first, const Rest&... rest) {
  check_translations(translations);
  for (const Translation& each : translations)
    text(std::string_view(formatted("text", each.markdown, first, rest...)),
         TextStyle{std::string(each.language)});
}
template <typename First, typename... Rest>
void verbatim(FormatFor<First, Rest...> format, const First& first, const Rest&... rest) {
  verbatim(std::string_view(formatted("verbatim", format, first, rest...)));
}
template <typename First, typename... Rest>
void note(FormatFor<First, Rest...> format, const First& first, const Rest&... rest) {
  note(std::string_view(formatted("note", format, first, rest...)));
}

/// Values as renderings, in place of the line. `lectern instrument` puts their names before them.
inline void inspect() {}
template <typename T, typename... Rest>
void inspect(ArgumentText name, const T& value, const Rest&... rest);
template <typename T, typename... Rest>
requires(!std::is_same_v<T, ArgumentText>) void inspect(const T& value, const Rest&... rest) {
  inspect(ArgumentText{""}, value, rest...);
}
template <typename T, typename... Rest>
void inspect(ArgumentText name, const T& value, const Rest&... rest) {
  std::string json;
  {
    const record::Pause pause;
    json = value_text(value);
  }
  inspect_value(name.text, json);
  if constexpr (sizeof...(rest) > 0) inspect(rest...);
}

}  // namespace lectern
