#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/site_kind.h"

namespace lectern {

/// Where the statements and functions of a Python file stand, read from its tokens: what a tracer that knows
/// only line numbers leaves out.
struct PythonOutline {
  PythonOutline() = default;
  explicit PythonOutline(std::string_view source);

  struct Function {
    std::string name;  ///< as written after `def`
    TextSpan span;     ///< decorators and body included
  };

  /// The statement that begins on this line, or null.
  const TextSpan* statement_at(int line) const;

  /// Of a compound one the header. Each from its first token to its last, comments left out.
  std::vector<TextSpan> statements;
  std::vector<Function> functions;  ///< an inner one after the one around it
};

}  // namespace lectern
