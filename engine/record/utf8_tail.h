#pragma once

#include <cstddef>
#include <string_view>

namespace lectern {

/// Length of the incomplete character at the end that further bytes could complete; 0 when there is none.
std::size_t unfinished_utf8(std::string_view text);

}  // namespace lectern
