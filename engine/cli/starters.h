#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/workspace.h"

namespace lectern::cli {

/// A program that a student completes: NAME.cpp in a folder starters/ beside the lectures.
struct Starter {
  std::string name;
  std::filesystem::path file;
};

/// Those of the course, and those that are installed with Lectern; sorted by name. Of two with one name, the
/// course's.
std::vector<Starter> find_starters(const Workspace& workspace);

/// Throws Error if there is none of that name.
Starter find_starter(const Workspace& workspace, const std::string& name);

}  // namespace lectern::cli
