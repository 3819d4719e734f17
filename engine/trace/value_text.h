#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "trace/literal.h"
#include "trace/model.h"

namespace lectern {

/// A value on one line of at most `limit` characters, as plain text; "…" at the end of one that was longer.
/// Numbers are never shortened.
std::string value_text(const Value& value, std::size_t limit = 48);

/// The short type of a value: tensor_type of a tensor, short_type of any other.
std::string value_type(const Value& value);

/// A recorded type as pages show it: "std::vector<unsigned long>" → "vector<size_t>".
std::string short_type(std::string_view type);

}  // namespace lectern
