#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// The text of a raw string that begins on a line of its own:
///
///     text(R"(
///         - one
///           - two
///     )");
///
/// shows "- one\n  - two". A text whose first line is blank loses that line, the blank lines at its end, and
/// the indentation that all its other lines share: their longest common prefix of spaces and tabs (a tab
/// never counts as spaces). Any other text, for example a single line, stays as it is.
std::string dedented(std::string_view text);

}  // namespace lectern
