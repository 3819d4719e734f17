#pragma once

#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

// Casts of values that the enumeration does not have are intended: no warnings.
#pragma GCC system_header

/// Names of enumerators with values from -64 to 255, parsed from the compiler's name of a function template's
/// instantiation.
namespace lectern::enumerators {

/// "…Color::red, (Color)2, …" within the compiler's name for this function.
template <typename Enum, Enum... Values>
constexpr std::string_view list() {
  return __PRETTY_FUNCTION__;
}

template <typename Enum, int First, int... Offsets>
constexpr std::string_view enumerator_list(std::integer_sequence<int, Offsets...>) {
  return list<Enum, static_cast<Enum>(First + Offsets)...>();
}

/// The name of the `index`-th entry of such a list, without qualification; empty when no enumerator has that
/// value.
std::string_view entry(std::string_view list, int index);

/// Whether any value of the underlying type is a value of the enumeration; for others, newer compilers reject
/// the cast.
template <typename Enum>
concept AnyValueAllowed = requires {
  Enum{0};
};

template <typename Enum>
std::string_view name(Enum value) {
#if defined(__clang__) && __clang_major__ >= 16
  if constexpr (!AnyValueAllowed<Enum>) return {};
#endif
  using Number = std::underlying_type_t<Enum>;
  using Limits = std::numeric_limits<Number>;
  constexpr int kFirst = Limits::min() < Number{} && !(Limits::min() > static_cast<Number>(-64)) ? -64 : 0;
  constexpr int kLast = Limits::digits <= 1 ? 1 : Limits::digits < 8 ? Limits::max() : 255;
  const auto number = static_cast<Number>(value);
  if (number < static_cast<Number>(kFirst) || number > static_cast<Number>(kLast)) return {};
  constexpr std::string_view kList =
      enumerator_list<Enum, kFirst>(std::make_integer_sequence<int, kLast - kFirst + 1>{});
  return entry(kList, static_cast<int>(number) - kFirst);
}

}  // namespace lectern::enumerators
