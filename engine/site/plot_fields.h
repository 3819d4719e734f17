#pragma once

#include <string>
#include <vector>

#include "site/spec_path.h"

namespace lectern {

/// Fields that the encodings of a Vega-Lite specification name and no datum has: "encoding.x.field: the data
/// has no "stpe", it has "step", "loss"; did you mean "step"?". Fields that transforms make are known. What
/// cannot be known, as of data in text or of pivoted fields, is not looked at.
std::vector<std::string> field_problems(const SpecJson& spec);

}  // namespace lectern
