#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// What a terminal would leave of a program's output, as plain text: without escape sequences (colours,
/// links, titles) and other control characters; of a line written several times (a progress bar), the last
/// time.
std::string without_terminal_codes(std::string_view text);

}  // namespace lectern
