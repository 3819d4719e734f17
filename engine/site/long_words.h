#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// HTML whose tables fit on paper: where the longest words of all columns together are too wide for a line,
/// cells with more than their share of it get the class `breaks`, for the print style to break words there.
std::string with_long_words_marked(std::string_view html);

}  // namespace lectern
