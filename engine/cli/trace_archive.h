#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lectern::cli {

/// Traces that were recorded on another machine, as a bundle's `run` packs them: a tar archive, compressed or
/// not, with traces/NAME.json and, beside it, traces/NAME.assets.
class TraceArchive {
 public:
  /// Unpacks it into a folder of its own, which goes with this object. Throws Error for what is no such
  /// archive, holds links or the like, or traces of several profiles.
  explicit TraceArchive(const std::filesystem::path& archive);
  ~TraceArchive();
  TraceArchive(const TraceArchive&) = delete;
  TraceArchive& operator=(const TraceArchive&) = delete;

  std::filesystem::path traces() const { return folder_ / "traces"; }
  /// By name; at least one.
  const std::vector<std::string>& lectures() const { return lectures_; }
  const std::string& profile() const { return profile_; }

 private:
  void unpack(const std::filesystem::path& archive) const;
  void read(const std::filesystem::path& archive);

  std::filesystem::path folder_;
  std::vector<std::string> lectures_;
  std::string profile_;
};

}  // namespace lectern::cli
