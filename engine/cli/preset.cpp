#include "cli/preset.h"

#include <algorithm>

#include "cli/process.h"
#include "cli/workspace.h"

namespace lectern::cli {
namespace fs = std::filesystem;

bool build_preset(const PresetBuild& build, const fs::path& log) {
  const auto lacks = [&](const std::string& definition) {
    const auto equals = definition.find('=');
    return cache_entry(build.tree, definition.substr(0, equals)) != definition.substr(equals + 1);
  };
  const fs::path made = build.tree / "build.ninja";
  if (!fs::exists(made) ||
      fs::last_write_time(build.root / "CMakePresets.json") > fs::last_write_time(made) ||
      std::any_of(build.definitions.begin(), build.definitions.end(), lacks)) {
    std::vector<std::string> cmake = {"cmake", "-S", build.root, "--preset", build.preset};
    for (const auto& definition : build.definitions) cmake.push_back("-D" + definition);
    if (run_logged({cmake}, log) != 0) return false;
  }
  std::vector<std::string> ninja = {"ninja", "-C", build.tree, "-k", "0"};
  ninja.insert(ninja.end(), build.targets.begin(), build.targets.end());
  return run_logged({ninja}, log) == 0;
}

}  // namespace lectern::cli
