#pragma once

#include <string>

#include "trace/calculator.h"

namespace lectern {

/// What a calculator gave, as HTML. The page's script makes the same elements of what it gives later
/// (site_templates/src/calculator_result.ts).
std::string calculator_result_html(const trace_model::calculators::Result& result);

}  // namespace lectern
