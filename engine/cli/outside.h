#pragma once

#include <filesystem>
#include <vector>

#include "cli/site_build.h"

namespace lectern::cli {

/// The CMake project under build/outside of a lecture from outside the repository. Like anybody's project, it
/// uses the package of the build tree, or the installed one.
struct OutsideProject {
  std::filesystem::path build;  ///< its build folder
  std::filesystem::path trace;
};

/// Configures the project, unless that was done before. With a folder `out` for the page, the project and its
/// trace are of that folder alone. Throws Error if it cannot be configured.
OutsideProject prepare_outside(const Workspace& workspace, const Lecture& lecture,
                               const std::filesystem::path& out);

/// Whether a lecture of this name was ever built for this site, even if its source is gone.
bool was_outside_lecture(const Workspace& workspace, const std::string& name);

/// The lectures that were built for this site so and whose source still exists.
std::vector<Lecture> outside_lectures(const Workspace& workspace);

}  // namespace lectern::cli
