#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

namespace lectern {

/// A type as its author would write it, from its demangled name or a compiler's __PRETTY_FUNCTION__:
/// `std::vector<int>`, `Point`, `const char*`.
std::string short_type_name(std::string_view type);

/// The C++ name of a mangled one; `otherwise` where it is none.
std::string demangled(const std::string& mangled, const std::string& otherwise);

/// The short name of a type at run time, without anonymous namespaces. The text stays valid.
std::string_view type_name_of(const std::type_info& type);

/// A floating-point type that the standard library does not know as a number, such as _Float16 with GCC 12.
template <typename T>
concept ExtendedFloat = !std::is_arithmetic_v<T> && !std::is_class_v<T> && !std::is_union_v<T> &&
                        !std::is_enum_v<T> && requires(T value, double number) {
  { value < static_cast<T>(number) } -> std::same_as<bool>;
  static_cast<double>(value);
  requires sizeof(T) <= sizeof(double);
};

/// "_Float16", from the compiler's name of this function: the library may have no type information of it.
template <typename T>
std::string_view extended_float_name() {
  const std::string_view pretty = __PRETTY_FUNCTION__;
  const std::size_t begin = pretty.find("T = ") + 4;
  return pretty.substr(begin, pretty.find_first_of(";]", begin) - begin);
}

template <typename T>
std::string_view type_name() {
  if constexpr (ExtendedFloat<std::remove_cv_t<std::remove_pointer_t<T>>>) {
    return extended_float_name<std::remove_cv_t<T>>();
  } else {
    static const std::string_view name = type_name_of(typeid(std::remove_cv_t<T>));
    return name;
  }
}

/// "Pair" for "Pair<int>".
std::string without_arguments(std::string_view type);

}  // namespace lectern
