#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/workspace.h"

namespace lectern::cli {

/// A lecture to build: of this repository, or any other C++ file, which gets a small project of its own.
struct Lecture {
  std::string name;
  std::filesystem::path source;
  bool outside = false;
};

/// The repository's lectures, by name (files whose name no lecture can have among them); of an installed tool
/// those that were built in this folder before.
std::vector<Lecture> known_lectures(const Workspace& workspace);

/// The lectures that are meant: names, or paths to C++ files; all known ones when none is given. Throws
/// Error.
std::vector<Lecture> find_lectures(const Workspace& workspace, const std::vector<std::string>& names);

struct BuildOptions {
  std::filesystem::path out = {};  ///< where the pages are made, instead of the workspace's site
  double timeout = 600;            ///< seconds after which a lecture that still runs is ended; 0: never
};

struct BuildResult {
  bool built = true;                          ///< every step was done
  std::vector<std::string> ended_early = {};  ///< lectures whose run did not end by itself with status 0
  bool ok() const { return built && ended_early.empty(); }
};

/// Brings the traces and pages of these lectures up to date, and removes those of lectures that are gone;
/// says what goes on, and what failed, on standard error. What fails keeps no other lecture from being built.
BuildResult build_lectures(const Workspace& workspace, const std::vector<Lecture>& asked,
                           const BuildOptions& options = {});

}  // namespace lectern::cli
