#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/wait.h>

/// The fixtures of constructs/: each is a file, or a folder with a main.cpp.
namespace lectern::fixtures {

inline const std::filesystem::path constructs =
    std::filesystem::path(LECTERN_SOURCE_DIR) / "tests/instrument/constructs";

inline std::filesystem::path main_file(const std::string& name) {
  return std::filesystem::is_directory(constructs / name) ? constructs / name / "main.cpp"
                                                          : constructs / (name + ".cpp");
}

inline std::vector<std::string> all() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(constructs)) {
    if (entry.is_directory() || entry.path().extension() == ".cpp")
      names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

inline std::string in_quotes(const std::filesystem::path& path) {
  return "'" + path.string() + "'";
}

}  // namespace lectern::fixtures
