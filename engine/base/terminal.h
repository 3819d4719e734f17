#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// A program's output as a terminal would leave it, as plain text: without escape sequences (colours, links,
/// titles) and other control characters; a line that is overwritten (a progress bar) as it was last.
std::string without_terminal_codes(std::string_view text);

/// A text on one line in which nothing acts on a terminal or changes the direction of writing: such
/// characters appear as pictures or code points, bytes that are not UTF-8 as U+FFFD.
std::string one_line(std::string_view text);

}  // namespace lectern
