#include "cli/workspace.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "base/error.h"
#include "cli/process.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

fs::path find_home() {
  if (const char* home = std::getenv("LECTERN_HOME"); home != nullptr && *home != '\0') {
    if (!fs::is_directory(fs::path(home) / "share/lectern")) {
      throw Error(std::string("LECTERN_HOME is ") + home +
                  ", which has no share/lectern; set it to where Lectern is installed, or unset it");
    }
    return fs::canonical(home);
  }
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path();
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

Workspace find_workspace() {
  Workspace workspace;
  workspace.home = find_home();
  if (fs::exists(workspace.home / "CMakeCache.txt")) {
    workspace.repository = true;
    workspace.root = cache_entry(workspace.home, "CMAKE_HOME_DIRECTORY");
    workspace.site = cache_entry(workspace.home, "LECTERN_SITE_DIR");
    workspace.profile = cache_entry(workspace.home, "LECTERN_PROFILE");
    workspace.traces = fs::path(cache_entry(workspace.home, "LECTERN_TRACE_DIR")) / workspace.profile;
    return workspace;
  }
  workspace.root = fs::current_path();
  workspace.site = workspace.root / "site";
  workspace.profile = first_output_line({"nvidia-smi", "-L"}).starts_with("GPU 0") ? "cuda" : "cpu";
  workspace.traces = workspace.root / "build/traces" / workspace.profile;
  return workspace;
}

std::string cache_entry(const fs::path& tree, const std::string& name) {
  std::ifstream in(tree / "CMakeCache.txt");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name + ':')) continue;
    const auto equals = line.find('=');
    if (equals != std::string::npos) return line.substr(equals + 1);
  }
  return {};
}

std::string shown(const fs::path& path) {
  const fs::path absolute = fs::absolute(path).lexically_normal();
  const fs::path relative = absolute.lexically_relative(fs::current_path());
  if (relative.empty() || *relative.begin() == "..") return absolute.string();
  return relative.string();
}

bool is_lecture_name(const std::string& name) {
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  constexpr std::size_t kMaxLength = 100;
  return !name.empty() && name.size() <= kMaxLength && name != "assets" && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || c == '-' || c == '_'; });
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace lectern::cli
