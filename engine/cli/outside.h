#pragma once

#include <filesystem>
#include <vector>

#include "cli/site_build.h"

namespace lectern::cli {

/// A lecture from outside the repository gets a CMake project under build/outside, which uses the package of
/// the build tree (or the installed one) as anybody's project would. Configures it when that was not done;
/// throws Error when it cannot be. Returns its build folder.
std::filesystem::path prepare_outside(const Workspace& workspace, const Lecture& lecture);

/// Whether a lecture of this name was ever built here, wherever its source is now.
bool was_outside_lecture(const Workspace& workspace, const std::string& name);

/// The lectures that have such a project and whose source is still there.
std::vector<Lecture> outside_lectures(const Workspace& workspace);

}  // namespace lectern::cli
