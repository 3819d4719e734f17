#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/workspace.h"
#include "trace/audience.h"

namespace lectern::cli {

/// A lecture to build: one of this repository, or any other C++ file, which gets a small project of its own.
struct Lecture {
  std::string name;
  std::filesystem::path source;
  bool outside = false;
};

/// The repository's lectures, sorted by name, including files whose name a lecture cannot have; for an
/// installed tool, those in the current folder's lectures/ and those that were built here before.
std::vector<Lecture> known_lectures(const Workspace& workspace);

/// The lectures with these names or paths of C++ files; all known ones if none is given. Two of one name
/// cannot have their pages in one site. Throws Error.
std::vector<Lecture> find_lectures(const Workspace& workspace, const std::vector<std::string>& names,
                                   bool in_site = true);

/// In which traces name the files of these lectures.
std::vector<std::filesystem::path> source_folders(const std::vector<Lecture>& lectures);

struct BuildOptions {
  std::filesystem::path out = {};  ///< the folder for the pages, instead of the workspace's site
  bool all = false;                ///< all of the site's lectures: pages and traces of deleted ones go
  bool sanitize = false;           ///< with sanitizers, as projects of their own; needs `out`
  bool inspect_all =
      false;  ///< every variable, whatever the lectures say; as projects of their own, needs `out`
  Audience audience = {};  ///< students' pages need `out`
  bool drafts = true;      ///< pages without them need `out`
  double timeout = kDefaultTimeout;
  std::stop_token stop = {};  ///< ends the build early: compilers and running lectures are interrupted

  /// Whether the pages are others than the author's own, made of the same traces.
  bool for_others() const { return audience.students || !drafts; }

  static constexpr double kDefaultTimeout = 600;  ///< seconds
};

struct BuildResult {
  bool built = true;                          ///< every step succeeded
  bool rendered = true;                       ///< every page was made, possibly with plots that are wrong
  std::vector<std::string> ended_early = {};  ///< lectures whose run did not end by itself with status 0
  bool claims_hold = true;                    ///< all of exercises
  std::vector<std::filesystem::path> traces = {};
  std::string messages = {};  ///< of compilers, runs and this program, a line each
  bool stopped = false;       ///< the build ended before its end, since it was told to
  bool ok() const { return built && ended_early.empty() && claims_hold && !stopped; }
};

/// Where pages for others than the author are, unless they are wanted elsewhere: those of students, those
/// that are published.
std::filesystem::path site_for_others(const Workspace& workspace, const BuildOptions& options);

/// Updates the traces and pages of these lectures. Reports progress and failures on standard error. A failure
/// does not stop the other lectures.
BuildResult build_lectures(const Workspace& workspace, const std::vector<Lecture>& requested,
                           const BuildOptions& options = {});

}  // namespace lectern::cli
