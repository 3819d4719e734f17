#pragma once

#include <string>

#include "trace/model.h"

namespace lectern {

/// A value of a trace (traces/README.md, "Values") as a reader sees it.
struct ShownValue {
  std::string type;  ///< short
  std::string text;  ///< one line of plain text, for a chip
  std::string html;  ///< for the panel
};

ShownValue show_value(const Value& value);

}  // namespace lectern
