#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// Name of an instantiation, "name<int, double>", from the compiler's __PRETTY_FUNCTION__ (g++ and clang++
/// give the same text for the types that lectures use). `name` alone when `pretty` tells no template
/// arguments.
std::string instantiated_name(std::string_view name, std::string_view pretty);

}  // namespace lectern
