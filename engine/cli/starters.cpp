#include "cli/starters.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/nearest.h"

namespace lectern::cli {
namespace fs = std::filesystem;

std::vector<Starter> find_starters(const Workspace& workspace) {
  std::map<std::string, fs::path> files;
  for (const fs::path& folder : {workspace.lectures() / "starters", workspace.root / "lectures/starters",
                                 workspace.home / "share/lectern/starters"}) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      const fs::path& file = entry.path();
      if (file.extension() == ".cpp" && is_lecture_name(file.stem())) files.try_emplace(file.stem(), file);
    }
  }
  std::vector<Starter> starters;
  starters.reserve(files.size());
  for (const auto& [name, file] : files) starters.push_back({name, file});
  return starters;
}

Starter find_starter(const Workspace& workspace, const std::string& name) {
  const std::vector<Starter> starters = find_starters(workspace);
  const auto found = std::ranges::find(starters, name, &Starter::name);
  if (found != starters.end()) return *found;
  std::vector<std::string> names;
  names.reserve(starters.size());
  for (const Starter& starter : starters) names.push_back(starter.name);
  const std::string suggestion = nearest(name, names);
  throw Error(fmt::format("there is no exercise `{}`{}; there are: {}", name,
                          suggestion.empty() ? "" : ", did you mean `" + suggestion + "`?",
                          names.empty() ? "none yet" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace lectern::cli
