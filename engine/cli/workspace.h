#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lectern::cli {

/// The folders a command works with, found from the program's own path: HOME/bin/lectern is beside
/// HOME/share/lectern, both in a build tree and where it is installed (LECTERN_HOME overrides it). A build
/// tree serves its repository; an installed program works in the current folder.
struct Workspace {
  std::filesystem::path home;
  std::filesystem::path root;    ///< the repository, or the current folder
  std::filesystem::path site;    ///< the folder of the pages
  std::string profile;           ///< of the recorded traces: "cpu", or "cuda" where there is a GPU
  std::filesystem::path traces;  ///< the folder of that profile's traces
  bool repository = false;       ///< whether HOME is a build tree of a repository with lectures

  std::filesystem::path templates() const { return home / "share/lectern/site"; }
  /// What is said of the site as a whole (site/settings.h); the file may be missing.
  std::filesystem::path settings() const { return root / "site.toml"; }
  /// The folder of the lectures: in a course without lectures/, all of it.
  std::filesystem::path lectures() const;
  /// The accepted traces, in a folder per profile.
  std::filesystem::path accepted() const { return root / "traces"; }
  std::filesystem::path outside() const { return root / "build/outside"; }
  std::filesystem::path logs() const { return root / "build/logs"; }
};

/// Throws Error if LECTERN_HOME is not a home of Lectern.
Workspace find_workspace();

/// The value of an entry of a build tree's CMakeCache.txt; empty if there is none.
std::string cache_entry(const std::filesystem::path& tree, const std::string& name);

/// For messages: relative to the current folder, or another, if inside it, else absolute.
std::string shown(const std::filesystem::path& path,
                  const std::filesystem::path& from = std::filesystem::current_path());

/// Whether a lecture may have this name: letters, digits, - and _, not beginning with - or _, at most 100,
/// and not that of a folder of every site. lectern_add_lecture has the same rule.
bool is_lecture_name(const std::string& name);
inline constexpr const char* kLectureNames =
    "letters, digits, - and _, the first a letter or digit, at most 100 of them, and neither `assets`, "
    "`series`, `categories`, `tags` nor `report`";

}  // namespace lectern::cli
