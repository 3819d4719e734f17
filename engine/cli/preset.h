#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lectern::cli {

/// What to build of a preset of CMakePresets.json.
struct PresetBuild {
  std::filesystem::path root;  ///< the repository
  std::filesystem::path tree;  ///< the preset's build tree
  std::string preset;
  std::vector<std::string> targets;
  std::vector<std::string> definitions = {};  ///< NAME=VALUE that the tree must be configured with
};

/// Builds the targets, as many as can be; configures the tree first when it is new or lacks a definition. The
/// output is kept in `log`. Returns whether everything was built.
bool build_preset(const PresetBuild& build, const std::filesystem::path& log);

}  // namespace lectern::cli
