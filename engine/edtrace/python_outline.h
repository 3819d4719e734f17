#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// Where the statements and functions of a Python file stand, read from its tokens: what a tracer that knows
/// only line numbers leaves out.
class PythonOutline {
 public:
  explicit PythonOutline(const std::vector<std::string>& lines);

  /// A statement, or the header of a compound one: from its first token to its last, comments left out.
  struct Statement {
    TextSpan span;
    SiteKind kind = SiteKind::statement;
  };
  struct Function {
    std::string name;  ///< as written behind `def`
    TextSpan span;     ///< decorators and body included
  };

  /// The one that begins on this line, or null.
  const Statement* statement_at(int line) const;
  const std::vector<Function>& functions() const { return functions_; }
  /// The innermost function of this name around the line, as an index; -1 when there is none.
  int function_around(std::string_view name, int line) const;

 private:
  struct Line;
  void add_functions(const std::vector<Line>& lines);

  std::vector<Statement> statements_;
  std::vector<Function> functions_;
};

}  // namespace lectern
