#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/temporary_folder.h"

namespace lectern::cli {

/// Traces recorded on another machine, as a bundle's `run` packs them: a tar archive, compressed or not, of
/// traces/NAME.json and traces/NAME.assets.
class TraceArchive {
 public:
  /// Unpacks the archive into a temporary folder, which lives as long as this object. Throws Error if it is
  /// not such an archive, or holds links, special files or traces of several profiles.
  explicit TraceArchive(const std::filesystem::path& archive);

  std::filesystem::path traces() const { return folder_.path() / "traces"; }
  /// Sorted by name; at least one.
  const std::vector<std::string>& lectures() const { return lectures_; }
  const std::string& profile() const { return profile_; }

 private:
  void unpack(const std::filesystem::path& archive) const;
  void read(const std::filesystem::path& archive);

  TemporaryFolder folder_{"traces"};
  std::vector<std::string> lectures_;
  std::string profile_;
};

}  // namespace lectern::cli
