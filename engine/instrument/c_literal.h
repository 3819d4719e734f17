#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// A string literal of C++ with exactly these bytes, in ASCII.
std::string c_literal(std::string_view bytes);

}  // namespace lectern
