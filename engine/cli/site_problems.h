#pragma once

#include <string>
#include <vector>

#include "cli/site_build.h"
#include "site/render.h"

namespace lectern::cli {

/// What only a site with all of these lectures tells, "FILE:LINE: what" each: terms that none defines or two
/// define differently, references that none cites or that cannot be read, runs of further profiles that are
/// of earlier versions.
std::vector<std::string> site_problems(const Workspace& workspace, const std::vector<Lecture>& lectures,
                                       const RenderOptions& pages);

}  // namespace lectern::cli
