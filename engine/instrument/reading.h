#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "instrument/directives.h"
#include "instrument/syntax.h"

namespace lectern {

/// A part of a source that the grammar does not read, cut out of what was parsed: the smallest one that
/// surely begins and ends where it does.
struct Unreadable {
  enum class Kind {
    statement,    ///< an empty block stands for it in the tree: one, or several in a row
    function,     ///< the body of a function, empty in the tree
    declaration,  ///< outside of functions; not in the tree
    member,       ///< the same in a class
  };
  Kind kind;
  ByteSpan span;
  std::size_t at;  ///< where the parser gave up
};

/// A file's syntax, without what the grammar does not read. Errors that are known and harmless may be in the
/// tree: macros that stand like a statement without their semicolon are ERRORs or have a missing semicolon.
struct Reading {
  SyntaxTree tree;
  std::vector<Unreadable> unreadable = {};       ///< in source order
  std::vector<std::size_t> split_branches = {};  ///< conditionals that split a statement or pair of brackets
  std::optional<std::size_t> hopeless = {};      ///< where the parser gave up, when nothing can be cut out
};

Reading read_source(std::string_view source, std::string_view language);

}  // namespace lectern
