#pragma once

#include <vector>

#include "site/rendered_steps.h"

namespace lectern {

/// Headings of what is on the page, in its order; where there is none, the functions that ran.
std::vector<Heading> lecture_outline(const Trace& trace, const RenderedSteps& steps);

}  // namespace lectern
