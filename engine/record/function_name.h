#pragma once

#include <string_view>

namespace lectern {

/// The name of the function that begins at an address, "twice" or "detail::apply<int>": one of the program,
/// by its table of symbols, or one that a library exports; empty where there is none, as in a program without
/// symbols. The text stays valid. Linear in the number of symbols at the first call for an address.
std::string_view function_name(const void* address);

}  // namespace lectern
