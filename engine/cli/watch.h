#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lectern::cli {

/// Watches folders and everything below them for changes (inotify), except hidden folders and node_modules.
/// Of a folder with very many below it, as a home, the nearest kMostFolders are watched.
class Watch {
 public:
  static constexpr std::size_t kMostFolders = 500;

  /// `files` are watched alone, wherever they are; they may be missing. Throws Error if a folder cannot be
  /// watched.
  explicit Watch(const std::vector<std::filesystem::path>& folders,
                 std::vector<std::filesystem::path> except = {},
                 const std::vector<std::filesystem::path>& files = {});
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  /// Watches more files alone; those that are watched already stay so.
  void add_files(const std::vector<std::filesystem::path>& files);

  /// Waits for a change, and then until all is quiet for a moment: editors save in several steps. Returns
  /// false if `milliseconds` pass without a change.
  bool wait(int milliseconds);

 private:
  void add(const std::filesystem::path& folder);
  void add_file(const std::filesystem::path& file);
  bool read_events();

  bool ignored(const std::filesystem::path& path) const;

  int descriptor_;
  std::vector<std::filesystem::path> except_;
  std::map<int, std::filesystem::path> folders_;
  std::map<int, std::set<std::string>> files_;  ///< of folders that are watched for these files only
};

}  // namespace lectern::cli
