#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "instrument/directives.h"

namespace lectern {

/// What a directive may not hold because reading a value must not change the program. Allowed: names (also
/// qualified, with template arguments), members, calls, indexing, `*`, `&` and other operators without side
/// effects; and at least one name. `word` is the directive's, "inspect"; `expression` stands at byte `offset`
/// of a source in `language`. Linear in the length.
std::optional<DirectiveError> expression_error(std::string_view word, std::string_view expression,
                                               std::size_t offset, std::string_view language);

}  // namespace lectern
