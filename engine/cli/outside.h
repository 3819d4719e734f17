#pragma once

#include <filesystem>
#include <vector>

#include "cli/site_build.h"

namespace lectern::cli {

/// Configures, unless that was done before, the CMake project under build/outside of a lecture from outside
/// the repository. Like anybody's project, it uses the package of the build tree, or the installed one.
/// Returns its build folder. Throws Error if it cannot be configured.
std::filesystem::path prepare_outside(const Workspace& workspace, const Lecture& lecture);

/// Whether a lecture of this name was ever built here, even if its source is gone.
bool was_outside_lecture(const Workspace& workspace, const std::string& name);

/// The lectures that have such a project and whose source still exists.
std::vector<Lecture> outside_lectures(const Workspace& workspace);

}  // namespace lectern::cli
