#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// Where the statements and functions of a Python file stand, read from its tokens: what a tracer that knows
/// only line numbers leaves out.
struct PythonOutline {
  PythonOutline() = default;
  explicit PythonOutline(std::string_view source);

  /// A statement, or the header of a compound one: from its first token to its last, comments left out.
  struct Statement {
    TextSpan span;
    SiteKind kind = SiteKind::statement;
  };
  struct Function {
    std::string name;  ///< as written after `def`
    TextSpan span;     ///< decorators and body included
  };

  /// The one that begins on this line, or null.
  const Statement* statement_at(int line) const;

  std::vector<Statement> statements;
  std::vector<Function> functions;  ///< an inner one after the one around it
};

}  // namespace lectern
