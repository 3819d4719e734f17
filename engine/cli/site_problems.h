#pragma once

#include <string>
#include <vector>

#include "cli/site_build.h"
#include "site/render.h"

namespace lectern::cli {

/// What only a site with all of its lectures tells, "FILE:LINE: what" each.
struct SiteProblems {
  /// Terms that none defines or two define differently, references that none cites or that cannot be read,
  /// runs of further profiles that are of earlier versions.
  std::vector<std::string> warnings;
  /// Settings of lectures that it has not, or beside which nothing stands.
  std::vector<std::string> errors;
};
SiteProblems site_problems(const Workspace& workspace, const std::vector<Lecture>& lectures,
                           const RenderOptions& pages);

}  // namespace lectern::cli
