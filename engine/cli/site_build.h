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

/// The repository's lectures, by name; of an installed tool those that were built in this folder before.
std::vector<Lecture> known_lectures(const Workspace& workspace);

/// The lectures that are meant: names, or paths to C++ files; all known ones when none is given. Throws
/// Error.
std::vector<Lecture> find_lectures(const Workspace& workspace, const std::vector<std::string>& names);

struct BuildResult {
  bool built = true;                     ///< every step was done
  std::vector<std::string> ended_early;  ///< lectures whose run did not return from main with status 0
  bool ok() const { return built && ended_early.empty(); }
};

/// Brings the traces and pages of these lectures up to date, and removes those of lectures that are gone;
/// says what goes on, and what failed, on standard error. With `out`, the pages are made there.
BuildResult build_lectures(const Workspace& workspace, const std::vector<Lecture>& lectures,
                           const std::filesystem::path& out = {});

}  // namespace lectern::cli
