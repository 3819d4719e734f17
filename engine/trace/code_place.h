#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace lectern {

/// A line in one of the lecture's files.
struct CodePlace {
  int source = 0;
  int line = 1;
};

/// Where a function or class is defined, by its qualified name or the end of it: the target of a link to
/// code.
std::optional<CodePlace> find_place(const Trace& trace, const std::string& name);

/// The function or class that begins at a line; empty when none does.
std::string name_at(const Trace& trace, std::string_view path, int line);

}  // namespace lectern
