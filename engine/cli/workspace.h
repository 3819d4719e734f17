#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lectern::cli {

/// Where things are. The tool finds them from its own place: HOME/bin/lectern beside HOME/share/lectern, in a
/// build tree and where it is installed alike (LECTERN_HOME says otherwise). In a build tree the lectures are
/// those of the repository; an installed tool works in the current folder.
struct Workspace {
  std::filesystem::path home;
  std::filesystem::path root;    ///< the repository, or the current folder
  std::filesystem::path site;    ///< where pages go
  std::string profile;           ///< what lectures are recorded for: "cpu", or "cuda" where there is a GPU
  std::filesystem::path traces;  ///< where its traces go: a folder of the profile's name
  bool repository = false;       ///< whether HOME is a build tree of a repository with lectures

  std::filesystem::path templates() const { return home / "share/lectern/site"; }
  std::filesystem::path lectures() const { return repository ? root / "lectures" : root; }
  /// The accepted traces: a folder for each profile.
  std::filesystem::path accepted() const { return root / "traces"; }
  std::filesystem::path outside() const { return root / "build/outside"; }
  std::filesystem::path logs() const { return root / "build/logs"; }
};

/// Throws Error when LECTERN_HOME or the place of the program holds no Lectern.
Workspace find_workspace();

/// The value of an entry of a build tree's CMakeCache.txt; empty when there is none.
std::string cache_entry(const std::filesystem::path& tree, const std::string& name);

/// For messages: relative to the current folder when it lies within, absolute otherwise.
std::string shown(const std::filesystem::path& path);

/// Letters, digits, - and _, not beginning with - or _, at most 100, not `assets` (a folder of every site):
/// what a lecture may be called. lectern_add_lecture has the same rule.
bool is_lecture_name(const std::string& name);
inline constexpr const char* kLectureNames =
    "letters, digits, - and _, at most 100 of them, and not `assets`";

/// The candidate nearest to `word` when it is near enough to be meant, else empty.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace lectern::cli
