#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// Attributes for an element with this text, ` lang="ja"` and ` dir="auto"`, by the scripts in which it is
/// written; none for what is Latin, Greek, Cyrillic. A browser chooses fonts and breaks lines by them.
std::string writing_attributes(std::string_view text);

}  // namespace lectern
