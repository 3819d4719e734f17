#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

namespace lectern {

/// What the C++ ABI's demangler calls it.
std::string demangled_name(const std::type_info& type);

/// A type as its author would write it, from its demangled name or a compiler's __PRETTY_FUNCTION__:
/// `std::vector<int>`, `Point`, `const char*`.
std::string short_type_name(std::string_view type);

/// The same for a type at run time, without anonymous namespaces. The text stays valid.
std::string_view type_name_of(const std::type_info& type);

template <typename T>
std::string_view type_name() {
  static const std::string_view name = type_name_of(typeid(std::remove_cv_t<T>));
  return name;
}

/// Without template arguments: "Pair" of "Pair<int>". What record::fields_of asks for.
std::string without_arguments(std::string_view type);

}  // namespace lectern
