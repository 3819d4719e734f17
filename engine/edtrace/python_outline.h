#pragma once

#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// Where the statements and functions of a Python file stand, read from its tokens: what a tracer that knows
/// only line numbers leaves out.
struct PythonOutline {
  explicit PythonOutline(std::string_view source);

  /// The statement that begins on this line, or null.
  const TextSpan* statement_at(int line) const;

  /// Of a compound one the header. Each from its first token to its last, comments left out.
  std::vector<TextSpan> statements;
  /// All of source 0, decorators and body included; an inner one after the one around it.
  std::vector<TracedFunction> functions;
};

}  // namespace lectern
