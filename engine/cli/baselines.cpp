#include "cli/baselines.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "check/accept.h"
#include "check/diff.h"
#include "cli/compare_runs.h"
#include "cli/outside.h"
#include "edtrace/load.h"
#include "trace/end_message.h"
#include "trace/ranks.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

LectureReport failed(const Lecture& lecture, const std::string& why) {
  return {.diff = {.lecture = lecture.name}, .failure = why};
}

/// Of a rank that was cut off: as the rank says that failed before it did.
std::string why_cut_off(const Trace& trace, const fs::path& first) {
  const std::optional<int>& failed = trace.end.failed_rank;
  const fs::path file = failed ? rank_file(first, *failed) : fs::path();
  if (!fs::exists(file)) return end_message(trace);
  return "rank " + std::to_string(*failed) + ": " + end_message(load_trace(file));
}

std::vector<LectureReport> compare(const Workspace& workspace, const Baselines& baselines,
                                   const Lecture& lecture, const DiffOptions& options) {
  const fs::path before = baselines.trace(lecture.name), now = newest_trace(workspace, lecture.name);
  if (!fs::exists(now)) {
    return {failed(lecture, "there is no trace of it: it was not built or not run; the build's logs are in " +
                                shown(workspace.logs()))};
  }
  try {
    const Trace first = load_trace(now);
    for (const fs::path& file : rank_files(first, now)) {
      const Trace trace = load_trace(file);
      if (!ended_by_itself(trace))
        return {failed(lecture, "its run did not end by itself: " + why_cut_off(trace, now))};
    }
    if (fs::exists(before)) return compare_runs(before, now, options, true);
    return {{.diff = added_lecture(lecture.name, "it has no accepted trace in " + shown(baselines.folder()) +
                                                     "; `lectern accept " + lecture.name + "` makes one")}};
  } catch (const Error& error) {
    return {failed(lecture, error.what())};
  }
}

}  // namespace

Baselines::Baselines(const Workspace& workspace)
    : workspace_(workspace), folder_(workspace.accepted() / workspace.profile) {}

bool Baselines::is_deleted(const std::string& lecture) const {
  return workspace_.repository || was_outside_lecture(workspace_, lecture);
}

std::vector<std::string> Baselines::lectures_except(const std::vector<Lecture>& known) const {
  std::vector<std::string> names;
  if (!fs::is_directory(folder_)) return names;
  for (const fs::path& trace : list_traces(folder_)) {
    const std::string name = trace.stem();
    if (std::ranges::find(known, name, &Lecture::name) == known.end()) names.push_back(name);
  }
  return names;
}

std::vector<fs::path> list_traces(const fs::path& folder) {
  std::vector<fs::path> traces;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && !is_of_higher_rank(path)) traces.push_back(path);
  }
  std::sort(traces.begin(), traces.end());
  return traces;
}

std::vector<fs::path> other_profiles(const Workspace& workspace) {
  std::vector<fs::path> folders;
  std::error_code none;
  for (const auto& profile : fs::directory_iterator(workspace.accepted(), none)) {
    if (profile.is_directory() && profile.path().filename() != workspace.profile &&
        !list_traces(profile.path()).empty())
      folders.push_back(profile.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

fs::path newest_trace(const Workspace& workspace, const std::string& lecture) {
  return workspace.traces / (lecture + ".json");
}

Report compare_with_accepted(const Workspace& workspace, const std::vector<Lecture>& lectures, bool all,
                             const DiffOptions& options) {
  const Baselines baselines(workspace);
  Report report;
  for (const Lecture& lecture : lectures) {
    const std::string folder = shown(lecture.source.parent_path());
    for (LectureReport& compared : compare(workspace, baselines, lecture, options)) {
      compared.folder = folder == "." ? "" : folder;
      report.lectures.push_back(std::move(compared));
    }
  }
  if (!all) return report;
  for (const std::string& name : baselines.lectures_except(lectures)) {
    const std::string trace = "there is an accepted trace, " + shown(baselines.trace(name)) + ", but ";
    report.lectures.push_back(
        {.diff = missing_lecture(name, trace + (baselines.is_deleted(name)
                                                    ? "no lecture; `lectern accept` removes it"
                                                    : "its lecture was never built here; name its file"))});
  }
  return report;
}

std::vector<TracePair> trace_pairs(const Workspace& workspace, const Report& report) {
  const Baselines baselines(workspace);
  const auto existing = [](const fs::path& path) { return fs::exists(path) ? path : fs::path(); };
  std::vector<TracePair> traces;
  traces.reserve(report.lectures.size());
  for (const LectureReport& lecture : report.lectures) {
    const std::string& name = lecture.diff.lecture;
    const int rank = lecture.rank.value_or(0);
    traces.push_back({existing(rank_file(baselines.trace(name), rank)),
                      existing(rank_file(newest_trace(workspace, name), rank))});
  }
  return traces;
}

}  // namespace lectern::cli
