#pragma once

#include <string>
#include <vector>

#include "site/spec_path.h"

namespace lectern {

/// Why a value does not fit a JSON schema, for who wrote the value: "encoding.x.type: "quantitive" is not one
/// of …; did you mean "quantitative"?". Where the schema allows several forms, those problems that the
/// nearest form has. Empty when it finds none: it knows types, words, properties, items and references, not
/// the bounds of numbers and lengths.
std::vector<std::string> schema_problems(const SpecJson& schema, const SpecJson& value);

}  // namespace lectern
