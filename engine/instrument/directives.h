#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// A piece of a source, in bytes [begin, end).
struct ByteSpan {
  std::size_t begin, end;
};

/// `@inspect x y`, as read from a comment.
struct Directive {
  enum class Kind { inspect, clear, stepover, hide, full, volatile_, tolerance };
  struct Item {
    std::string text;   ///< an expression or a name, as written
    std::size_t begin;  ///< where it stands in the source
  };
  Kind kind;
  ByteSpan span;  ///< from the @ to the end of the list, blanks at the end left out
  std::vector<Item> items;
  double relative = 0;  ///< of a tolerance
  double absolute = 0;
};

/// Its word, as in "inspect".
std::string_view word_of(Directive::Kind kind);

struct DirectiveError {
  std::size_t offset;
  std::string message;
};

struct Directives {
  std::vector<Directive> found;
  std::vector<DirectiveError> errors;
};

/// Reads the directives of one comment, its delimiters included. `comment` stands at byte `offset` of the
/// source: all positions in the result are the source's. Comments of C, C++ and Python.
Directives read_directives(std::string_view comment, std::size_t offset);

/// Where directives stand in a whole source, in order: for showing code without them.
std::vector<ByteSpan> directive_spans(std::string_view source, std::string_view language);

}  // namespace lectern
