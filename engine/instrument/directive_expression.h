#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "instrument/directives.h"

namespace lectern {

/// The error in an expression of a directive; none in one without side effects, so that its evaluation does
/// not change the program. Allowed are names (also qualified, with template arguments), members, calls,
/// subscripts, `*`, `&` and other operators without side effects, with at least one name. `name` is the
/// directive's, "inspect"; `expression` begins at `offset` of a source in `language`. Linear in the length.
std::optional<DirectiveError> expression_error(std::string_view name, std::string_view expression,
                                               std::size_t offset, std::string_view language);

/// An expression of a directive that checks indices, keys, pointers and divisors before it uses them
/// (record/checked_access.h): `v[i]` is `::lectern::probe::at(v,i)`.
struct CheckedExpression {
  std::string before;  ///< goes before `text`, which keeps the columns of the expression where it can
  std::string text;
  bool may_throw = false;
};
CheckedExpression checked_expression(std::string_view expression, std::string_view language);

}  // namespace lectern
