#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// A program's output as a terminal would leave it, as plain text: without escape sequences (colours, links,
/// titles) and other control characters; a line that is overwritten (a progress bar) as it was last.
std::string without_terminal_codes(std::string_view text);

}  // namespace lectern
