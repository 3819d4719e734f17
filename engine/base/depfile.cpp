#include "base/depfile.h"

namespace lectern {

std::string escape_for_make(const std::filesystem::path& path) {
  std::string escaped;
  for (const char c : path.string()) {
    if (c == ' ' || c == '#') escaped += '\\';
    if (c == '$') escaped += '$';
    escaped += c;
  }
  return escaped;
}

std::string prerequisite_for_make(const std::filesystem::path& path) {
  return " \\\n  " + escape_for_make(path);
}

}  // namespace lectern
