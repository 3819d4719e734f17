#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/positions.h"

namespace lectern {

/// `@inspect x y`, as read from a comment.
struct Directive {
  enum class Kind { inspect, clear, stepover, hide, full, volatile_, tolerance };
  struct Item {
    std::string text;   ///< an expression or a name, as written
    std::size_t begin;  ///< its offset in the source
  };
  Kind kind;
  ByteSpan span;  ///< from the @ to the end of the list, without trailing blanks
  std::vector<Item> items;
  double relative = 0, absolute = 0;  ///< of a tolerance
};

/// Its name, as in "inspect".
std::string_view name_of(Directive::Kind kind);

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
