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

  std::filesystem::path trace(const std::string& lecture) const { return folder_ / (lecture + ".json"); }
  const std::filesystem::path& folder() const { return folder_; }
  /// The lectures that have an accepted trace and are not among `known`, sorted by name.
  std::vector<std::string> lectures_except(const std::vector<Lecture>& known) const;
  /// Whether a lecture that is not known has been deleted. In a repository it has; elsewhere only if it was
  /// built here before, since nothing else lists the lectures.
  bool is_deleted(const std::string& lecture) const;

 private:
  const Workspace& workspace_;
  std::filesystem::path folder_;
};

/// The folders with accepted traces of profiles other than the workspace's, sorted by name.
std::vector<std::filesystem::path> other_profiles(const Workspace& workspace);

/// The traces in a folder, sorted by name; of several processes that of rank 0 (trace/ranks.h).
std::vector<std::filesystem::path> list_traces(const std::filesystem::path& folder);

/// The trace of a lecture's newest run; its assets are beside it.
std::filesystem::path newest_trace(const Workspace& workspace, const std::string& lecture);

/// Compares the newest traces of these lectures with the accepted ones, rank by rank. With `all`, an accepted
/// trace without a lecture is reported as missing.
Report compare_with_accepted(const Workspace& workspace, const std::vector<Lecture>& lectures, bool all,
                             const DiffOptions& options);

/// The old and the new trace of each lecture in a report; an empty path where there is none.
std::vector<TracePair> trace_pairs(const Workspace& workspace, const Report& report);

}  // namespace lectern::cli
