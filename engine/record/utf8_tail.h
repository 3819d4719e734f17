#pragma once

#include <cstddef>
#include <string_view>

namespace lectern {

/// Length of a sequence at the end that more bytes could complete; 0 when the text ends with a whole
/// character or in something that can never be one.
std::size_t unfinished_utf8(std::string_view text);

}  // namespace lectern
