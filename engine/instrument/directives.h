#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/positions.h"

namespace lectern {

/// A directive, as read from a comment:
///
///     @inspect EXPR…          shows values after the statement; on a loop's or branch's header, at each
///     entry
///     @full EXPR…             the same, without cutting large values
///     @inspect *              shows all variables in scope; on a function's definition, after each of its
///     statements
///     @clear EXPR…            removes what was shown
///     @stepover               makes one step of a statement, and of all that it calls; a loop, branch or
///     block
///                             with all that is in it; on a function's definition, of each call
///     @steps first N last M   records these passes of a loop only; either may be missing
///     @hide                   hides a statement; a function, class or namespace, and steps over its calls;
///     @hide file              at the head of a file, all of it
///     @volatile NAME…         differs from run to run
///     @tol rel=R abs=A NAME…  may differ by that much
///
/// It stands on a line of the statement (of a loop, branch, block or definition: on the line of its header)
/// or on a line of its own before it.
struct Directive {
  enum class Kind { inspect, clear, stepover, hide, full, volatile_, tolerance, steps };
  struct Item {
    std::string text;   ///< an expression or a name, as written
    std::size_t begin;  ///< its offset in the source
  };
  Kind kind;
  ByteSpan span;  ///< from the @ to the end of the list, without trailing blanks
  std::vector<Item> items;
  double relative = 0, absolute = 0;  ///< of a tolerance
  int first = 0, last = 0;            ///< of @steps
};

/// Its name, as in "inspect".
std::string_view directive_name(Directive::Kind kind);

struct DirectiveError {
  std::size_t offset;
  std::string message;
};

struct Directives {
  std::vector<Directive> found;
  std::vector<DirectiveError> errors;
};

/// Parses the directives of one comment of C, C++ or Python, which includes its delimiters and begins at
/// `offset` of the source. Offsets in the result are the source's.
Directives parse_directives(std::string_view comment, std::size_t offset);

/// The directives of a whole source, in order: for showing code without them.
std::vector<ByteSpan> directive_spans(std::string_view source, std::string_view language);

}  // namespace lectern
