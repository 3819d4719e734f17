#include "cli/live_build.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/error.h"
#include "cli/site_build.h"
#include "site/settings.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> watched_folders(const Workspace& workspace, const std::vector<std::string>& names,
                                      bool in_site) {
  std::vector<fs::path> folders;
  for (const Lecture& lecture : find_lectures(workspace, names, in_site)) {
    if (lecture.outside) folders.push_back(lecture.source.parent_path());
  }
  if (workspace.repository || folders.empty()) folders.push_back(workspace.lectures());
  folders.push_back(workspace.root / "site_templates");
  folders.push_back(workspace.accepted());  // pages show those of other profiles, and imported ones
  return folders;
}

/// The site's settings, and the references that they name.
std::vector<fs::path> watched_files(const Workspace& workspace) {
  std::vector<fs::path> files{workspace.settings()};
  try {
    const std::string references = read_site_settings(workspace.settings()).references;
    if (!references.empty()) files.push_back(fs::absolute(references).lexically_normal());
  } catch (const Error&) {
    // The build says it.
  }
  return files;
}

/// When the newest of the pages was written.
fs::file_time_type newest_page(const fs::path& site) {
  fs::file_time_type newest = fs::file_time_type::min();
  std::error_code none;
  const auto consider = [&](const fs::path& page) {
    const fs::file_time_type time = fs::last_write_time(page, none);
    if (!none) newest = std::max(newest, time);
  };
  consider(site / "index.html");
  for (const auto& entry : fs::directory_iterator(site, none)) consider(entry.path() / "index.html");
  return newest;
}

}  // namespace

LiveBuild::LiveBuild(Workspace workspace, std::vector<std::string> names, BuildOptions options,
                     BuildNews& news)
    : workspace_(std::move(workspace)),
      names_(std::move(names)),
      options_(std::move(options)),
      news_(news),
      watch_(watched_folders(workspace_, names_, options_.out.empty()),
             {workspace_.site, workspace_.root / "build", workspace_.accepted() / workspace_.profile},
             watched_files(workspace_)),
      site_(options_.out.empty() ? workspace_.site : options_.out),
      newest_page_(newest_page(site_)) {
  options_.all = names_.empty();
}

void LiveBuild::build(const std::stop_token& stop) {
  news_.begin();
  BuildResult result;
  try {
    BuildOptions options = options_;
    options.stop = stop;
    result = build_lectures(workspace_, find_lectures(workspace_, names_, options.out.empty()), options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lectern: %s\n", error.what());
    result.built = false;
    result.messages += std::string("lectern: ") + error.what() + "\n";
  }
  if (result.stopped) return;  // the next build has begun
  const fs::file_time_type known = std::exchange(newest_page_, newest_page(site_));
  news_.end(newest_page_ != known, result.ok() ? "" : result.messages);
}

void LiveBuild::run() {
  std::jthread builder;
  const auto start = [&] {
    builder = {};  // asks the build under way to stop, and waits for it
    builder = std::jthread([this](const std::stop_token& stop) { build(stop); });
  };
  start();
  while (!news_.stopped()) {
    if (!watch_.wait(200)) continue;
    watch_.add_files(watched_files(workspace_));  // the settings may name others now
    start();
  }
}

}  // namespace lectern::cli
