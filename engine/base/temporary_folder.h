#pragma once

#include <filesystem>
#include <string_view>

namespace lectern {

/// A new folder among the temporary files, with a name that says whose it is: gone, with what is in it, when
/// this object is.
class TemporaryFolder {
 public:
  /// "lectern-NAME-" and six more letters. Throws Error when it cannot be made.
  explicit TemporaryFolder(std::string_view name);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lectern
