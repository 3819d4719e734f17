#pragma once

#include <string>
#include <vector>

#include "site/spec_path.h"

namespace lectern {

/// Why a value does not match a JSON schema, for the author of the value: "encoding.x.type: "quantitive" is
/// not one of …; did you mean "quantitative"?". Where the schema allows several forms, the problems of the
/// nearest one. Empty when it finds none: it knows types, words, properties, items and references, not the
/// bounds of numbers and lengths.
std::vector<std::string> schema_problems(const SpecJson& schema, const SpecJson& value);

}  // namespace lectern
