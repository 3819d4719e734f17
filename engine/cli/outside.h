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

struct ProjectOptions {
  std::filesystem::path out = {};  ///< the folder for the page, of which the project and its trace are alone
  bool sanitize = false;           ///< a project of its own, compiled with sanitizers
  bool inspect_all = false;        ///< a project of its own, in which every variable is inspected
};

/// Configures the project, unless that was done before. Throws Error if it cannot be configured.
OutsideProject prepare_outside(const Workspace& workspace, const Lecture& lecture,
                               const ProjectOptions& options);

/// Whether a lecture of this name was ever built for this site, even if its source no longer exists.
bool was_outside_lecture(const Workspace& workspace, const std::string& name);

/// The lectures that were built for this site so and whose source still exists.
std::vector<Lecture> outside_lectures(const Workspace& workspace);

}  // namespace lectern::cli
