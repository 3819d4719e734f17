#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/reload.h"
#include "cli/site_build.h"
#include "cli/watch.h"
#include "cli/workspace.h"

namespace lectern::cli {

/// Builds lectures again and again while their author edits them: `lectern serve --watch`.
class LiveBuild {
 public:
  /// `names` as of find_lectures. Throws Error when there is no such lecture, or nothing to watch.
  /// `options` say for whom the pages are, where, and how long a lecture may run.
  LiveBuild(Workspace workspace, std::vector<std::string> names, BuildOptions options, BuildNews& news);

  /// Builds, and builds again after each change, until the news stop. A change ends the build under way, its
  /// compilers and the lectures that run. Reports each build to the news.
  void run();

 private:
  void build(const std::stop_token& stop);

  Workspace workspace_;
  std::vector<std::string> names_;
  BuildOptions options_;
  BuildNews& news_;
  Watch watch_;
  std::filesystem::path site_;
  std::filesystem::file_time_type newest_page_;  ///< of the pages that the news have reported
};

}  // namespace lectern::cli
