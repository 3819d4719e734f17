#pragma once

#include <filesystem>
#include <map>
#include <vector>

namespace lectern::cli {

/// Folders and all that lies below them, watched for changes (inotify). Hidden folders and node_modules are
/// left out.
class Watch {
 public:
  /// Throws Error when a folder cannot be watched.
  explicit Watch(const std::vector<std::filesystem::path>& folders,
                 std::vector<std::filesystem::path> except = {});
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  /// Waits until something has changed and then nothing more for a moment: an editor writes in several steps.
  /// Returns false when `milliseconds` passed without a change.
  bool wait(int milliseconds);

 private:
  void add(const std::filesystem::path& folder);
  bool read_events();

  bool ignored(const std::filesystem::path& path) const;

  int descriptor_;
  std::vector<std::filesystem::path> except_;
  std::map<int, std::filesystem::path> folders_;
};

}  // namespace lectern::cli
