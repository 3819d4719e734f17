#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lectern {

/// What a terminal would leave of a program's output, as plain text: without escape sequences (colours,
/// links, titles) and other control characters; of a line written several times (a progress bar), the last
/// time.
std::string without_terminal_codes(std::string_view text);

/// Says that output ends before it ended: "output cut here: 1,234 more bytes were printed".
std::string cut_line(std::uint64_t bytes);

}  // namespace lectern
