#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "trace/model.h"

namespace lectern {

/// A value on one line of at most `limit` characters, as plain text.
std::string value_text(const Value& value, std::size_t limit = 48);

/// Of a value, short: short_type, of a tensor tensor_type.
std::string value_type(const Value& value);

/// "std::vector<int, std::allocator<int> >" → "vector<int>".
std::string short_type(std::string_view type);

/// A character of a string as a C++ programmer would write it; empty where it stands for itself.
std::string escape_sequence(std::string_view character);

}  // namespace lectern
