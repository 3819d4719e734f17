#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "instrument/syntax.h"

namespace lectern {

/// A part of a source that the grammar cannot parse, left out of the tree: the smallest one whose beginning
/// and end are certain.
struct UnparsedPart {
  enum class Kind {
    statement,    ///< one or several in a row; an empty block replaces them in the tree
    function,     ///< the body of a function, empty in the tree
    declaration,  ///< at namespace scope; not in the tree
    member,       ///< of a class; not in the tree
  };
  Kind kind;
  ByteSpan span;
  std::size_t error;  ///< where the parser failed

  bool has_block() const { return kind == Kind::statement || kind == Kind::function; }
};

/// The syntax of a file, as far as it can be parsed. Its errors are known and harmless: a macro used as a
/// statement without a semicolon is an ERROR or has a missing semicolon.
struct ParsedSource {
  SyntaxTree tree;
  std::vector<UnparsedPart> unparsed = {};       ///< in source order
  std::vector<std::size_t> split_branches = {};  ///< conditionals that split a statement or pair of brackets
  std::optional<std::size_t> fatal_error = {};   ///< where the parser failed, without recovery
};

ParsedSource parse_with_recovery(std::string_view source, std::string_view language);

}  // namespace lectern
