#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "check/diff.h"
#include "cli/html_report.h"
#include "cli/site_build.h"

namespace lectern::cli {

/// The accepted traces: ROOT/traces/PROFILE/NAME.json, with NAME.assets beside each.
class Baselines {
 public:
  /// The workspace must outlive it.
  explicit Baselines(const Workspace& workspace);

  std::filesystem::path of(const std::string& lecture) const { return folder_ / (lecture + ".json"); }
  const std::filesystem::path& folder() const { return folder_; }
  /// The lectures that have one and are not among these, by name.
  std::vector<std::string> others(const std::vector<Lecture>& known) const;
  /// Whether a lecture that is not among the known ones is no more: in a repository it is; elsewhere only if
  /// it was built here once, since nothing else says what lectures there are.
  bool is_gone(const std::string& lecture) const;

 private:
  const Workspace& workspace_;
  std::filesystem::path folder_;
};

/// The folders of accepted traces of other profiles than the workspace's, by name.
std::vector<std::filesystem::path> other_profiles(const Workspace& workspace);

/// The traces in a folder, by name.
std::vector<std::filesystem::path> traces_in(const std::filesystem::path& folder);

/// The trace of a lecture's newest run; its assets are beside it.
std::filesystem::path newest_trace(const Workspace& workspace, const std::string& lecture);

/// Compares the newest traces of these lectures with the accepted ones. With `all`, accepted traces of
/// lectures that are no more are missing ones.
Report compare_with_accepted(const Workspace& workspace, const std::vector<Lecture>& lectures, bool all,
                             const DiffOptions& options);

/// The traces of a report's lectures, as far as they are there.
std::vector<TracePair> traces_of(const Workspace& workspace, const Report& report);

}  // namespace lectern::cli
