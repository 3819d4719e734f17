#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

namespace lectern::cuda {

/// Where to look for a library of these file names, the best first: on the loader's own paths, then where
/// toolkits are installed.
inline std::vector<std::string> toolkit_libraries(const std::vector<std::string>& names) {
  std::vector<std::string> paths = names;
  for (const char* home : std::initializer_list<const char*>{std::getenv("CUDA_HOME"),
                                                             std::getenv("CUDA_PATH"), "/usr/local/cuda"}) {
    if (home == nullptr || *home == '\0') continue;
    for (const char* folder : {"/lib64/", "/lib/"}) {
      for (const std::string& name : names) paths.push_back(std::string(home) + folder + name);
    }
  }
  return paths;
}

}  // namespace lectern::cuda
