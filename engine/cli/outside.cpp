#include "cli/outside.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files.h"
#include "base/fnv.h"
#include "cli/process.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kProject = R"(cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
find_package(lectern REQUIRED PATHS [[{package}]] NO_DEFAULT_PATH)
file(GLOB_RECURSE more CONFIGURE_DEPENDS [[{folder}/{name}/*.cpp]] [[{folder}/shared/*.cpp]])
file(GLOB_RECURSE figures CONFIGURE_DEPENDS [[{folder}/figures/{name}/*]])
file(GLOB starters CONFIGURE_DEPENDS [[{folder}/starters/*.cpp]])
file(GLOB_RECURSE calculators CONFIGURE_DEPENDS [[{folder}/{name}/*_calculator.h]] [[{folder}/shared/*_calculator.h]])
lectern_add_lecture({name} [[{source}]] ${{more}} {options} DATA ${{figures}} ${{starters}} CALCULATORS ${{calculators}})
)";

/// Named by the paths of source and pages: two files of the same name are two projects, and so is one file
/// whose page is made in two places.
fs::path project_folder(const Workspace& workspace, const Lecture& lecture, const ProjectOptions& options) {
  std::string key = lecture.source.string() + "\n" + options.out.string();
  if (options.sanitize) key += "\nsanitize";
  if (options.inspect_all) key += "\ninspect all";
  return workspace.outside() / fmt::format("{:016x}", fnv1a_64(key));
}

/// CMake and ninja take some characters of a path for their own, whatever is done to quote them: of what they
/// make, more than of what they read.
constexpr std::string_view kUnusable = "\"\\;", kUnusableOfOutputs = "\"\\;#<>";

void refuse_unusable(const fs::path& path, std::string_view characters, const Lecture& lecture) {
  const std::string text = path.string();
  const std::size_t at = text.find_first_of(characters);
  if (at == std::string::npos) return;
  throw Error(fmt::format("{}: the path {} contains `{}`, which CMake cannot use; rename that folder",
                          lecture.source.string(), text, text[at]));
}

/// The sources of this site's projects, whether or not they still exist.
std::vector<fs::path> project_sources(const Workspace& workspace) {
  std::vector<fs::path> sources;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(workspace.outside(), none)) {
    if (fs::exists(entry.path() / "source")) sources.emplace_back(read_file(entry.path() / "source"));
  }
  return sources;
}

}  // namespace

OutsideProject prepare_outside(const Workspace& workspace, const Lecture& lecture,
                               const ProjectOptions& options) {
  const fs::path folder = project_folder(workspace, lecture, options);
  const fs::path& out = options.out;
  const fs::path site = out.empty() ? workspace.site : out;
  const fs::path traces = out.empty() ? workspace.traces.parent_path() : folder / "traces";
  const fs::path build = folder / "build";
  refuse_unusable(lecture.source, kUnusable, lecture);
  for (const fs::path& path : {build, site, traces}) refuse_unusable(path, kUnusableOfOutputs, lecture);
  const OutsideProject project{build, traces / workspace.profile / (lecture.name + ".json")};
  const bool changed = write_file_if_changed(
      folder / "CMakeLists.txt",
      fmt::format(kProject, fmt::arg("package", workspace.home.string()),
                  fmt::arg("folder", lecture.source.parent_path().string()), fmt::arg("name", lecture.name),
                  fmt::arg("source", lecture.source.string()),
                  fmt::arg("options", fmt::format("{}{}", options.sanitize ? "SANITIZE " : "",
                                                  options.inspect_all ? "INSPECT_ALL " : ""))));
  if (out.empty()) write_file_if_changed(folder / "source", lecture.source.string());
  if (!changed && fs::exists(build / "build.ninja")) return project;

  const fs::path log = workspace.logs() / ("configure-" + lecture.name + ".log");
  const int status = run_logged(
      {.arguments = {"cmake", "-G", "Ninja", "-S", folder, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
                     "-DLECTERN_SITE_DIR=" + site.string(), "-DLECTERN_TRACE_DIR=" + traces.string(),
                     "-DLECTERN_PROFILE=" + workspace.profile,
                     "-DLECTERN_AUTHOR_DIR=" + workspace.root.string(),
                     "-DLECTERN_SITE_SETTINGS=" + workspace.settings().string(),
                     "-DLECTERN_DATA_DIR=" + (workspace.root / "build/data").string()}},
      log);
  if (status != 0) {
    throw Error(lecture.source.string() + ": its project cannot be configured; see " + shown(log));
  }
  return project;
}

bool was_outside_lecture(const Workspace& workspace, const std::string& name) {
  const auto sources = project_sources(workspace);
  return std::any_of(sources.begin(), sources.end(),
                     [&](const fs::path& source) { return source.stem() == name; });
}

std::vector<Lecture> outside_lectures(const Workspace& workspace) {
  std::vector<Lecture> lectures;
  for (const fs::path& source : project_sources(workspace)) {
    if (fs::exists(source)) lectures.push_back({source.stem(), source, true});
  }
  return lectures;
}

}  // namespace lectern::cli
