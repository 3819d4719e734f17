#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/workspace.h"

namespace lectern::cli {

/// A lecture to build: one of this repository, or any other C++ file, which gets a small project of its own.
struct Lecture {
  std::string name;
  std::filesystem::path source;
  bool outside = false;
};

/// The repository's lectures, sorted by name, including files whose name a lecture cannot have; for an
/// installed tool, those that were built in this folder before.
std::vector<Lecture> known_lectures(const Workspace& workspace);

/// The lectures with these names or paths of C++ files; all known ones if none is given. Throws Error.
std::vector<Lecture> find_lectures(const Workspace& workspace, const std::vector<std::string>& names);

struct BuildOptions {
  std::filesystem::path out = {};  ///< the folder for the pages, instead of the workspace's site
  double timeout = 600;            ///< seconds after which a running lecture is killed; 0: never
};

struct BuildResult {
  bool built = true;                          ///< every step succeeded
  std::vector<std::string> ended_early = {};  ///< lectures whose run did not end by itself with status 0
  bool ok() const { return built && ended_early.empty(); }
};

/// Updates the traces and pages of these lectures, and removes those of deleted lectures. Reports progress
/// and failures on standard error. A failure does not stop the other lectures.
BuildResult build_lectures(const Workspace& workspace, const std::vector<Lecture>& requested,
                           const BuildOptions& options = {});

}  // namespace lectern::cli
