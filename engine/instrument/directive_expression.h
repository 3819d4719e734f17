#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "instrument/directives.h"

namespace lectern {

/// The error in an expression of a directive; none in one without side effects, so that its evaluation does
/// not change the program. Allowed are names (also qualified, with template arguments), members, calls,
/// subscripts, `*`, `&` and other operators without side effects, with at least one name. `name` is the
/// directive's, "inspect"; `expression` begins at `offset` of a source in `language`. Linear in the length.
std::optional<DirectiveError> expression_error(std::string_view name, std::string_view expression,
                                               std::size_t offset, std::string_view language);

}  // namespace lectern
