#include "cli/workspace.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "cli/process.h"
#include "site/site_pages.h"

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

}  // namespace

fs::path Workspace::lectures() const {
  return repository || fs::is_directory(root / "lectures") ? root / "lectures" : root;
}

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

std::string shown(const fs::path& path, const fs::path& from) {
  const fs::path absolute = fs::absolute(path).lexically_normal();
  const fs::path relative = absolute.lexically_relative(from);
  if (relative.empty() || *relative.begin() == "..") return absolute.string();
  return relative.string();
}

bool is_lecture_name(const std::string& name) {
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return !name.empty() && name.size() <= kLongestLectureName && !is_name_of_site(name) &&
         letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || c == '-' || c == '_'; });
}

}  // namespace lectern::cli
