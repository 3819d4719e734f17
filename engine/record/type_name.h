#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

namespace lectern {

/// A type as its author would write it, from its demangled name or a compiler's __PRETTY_FUNCTION__:
/// `std::vector<int>`, `Point`, `const char*`.
std::string short_type_name(std::string_view type);

/// The short name of a type at run time, without anonymous namespaces. The text stays valid.
std::string_view type_name_of(const std::type_info& type);

template <typename T>
std::string_view type_name() {
  static const std::string_view name = type_name_of(typeid(std::remove_cv_t<T>));
  return name;
}

/// "Pair" for "Pair<int>".
std::string without_arguments(std::string_view type);

}  // namespace lectern
