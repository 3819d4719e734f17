#pragma once

#include <string>

#include "site/rendered_steps.h"

namespace lectern {

/// steps.js: one call, `lectern({…});`, of the PageData in site_templates/src/data.ts. Safe inside a script
/// element.
std::string page_data(const Trace& trace, const RenderedSteps& steps);

}  // namespace lectern
