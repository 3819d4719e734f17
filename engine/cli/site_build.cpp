#include "cli/site_build.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/nearest.h"
#include "cli/baselines.h"
#include "cli/claim_report.h"
#include "cli/outside.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/run_end.h"
#include "cli/site_problems.h"
#include "site/own_files.h"
#include "site/render.h"
#include "site/site_pages.h"
#include "site/warning.h"
#include "trace/ranks.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

/// One build at a time in a tree; the second waits, unless it is told to stop.
class BuildLock {
 public:
  BuildLock(const fs::path& folder, const std::stop_token& stop) {
    make_folder(folder);
    const fs::path lock = folder / ".lock";
    descriptor_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw Error(shown(lock) + ": cannot be written: " + std::strerror(errno));
    if (!is_held_by_another()) return;
    std::fprintf(stderr, "lectern: another build is under way in %s; waiting for its end\n",
                 shown(folder).c_str());
    while (!stop.stop_requested() && is_held_by_another())
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;
  ~BuildLock() { close(descriptor_); }

 private:
  /// If it is not, it is ours from then on.
  bool is_held_by_another() const {
    return flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  }

  int descriptor_;
};

std::vector<std::string> lecture_names(const std::vector<Lecture>& lectures) {
  std::vector<std::string> names;
  for (const auto& lecture : lectures) {
    if (is_lecture_name(lecture.name)) names.push_back(lecture.name);
  }
  return names;
}

void report(BuildResult& result, const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  result.messages += message + "\n";
}

/// The lectures that can be built; complains about the others.
std::vector<Lecture> reject_bad_names(const std::vector<Lecture>& lectures, BuildResult& result) {
  std::vector<Lecture> accepted;
  for (const auto& lecture : lectures) {
    if (is_lecture_name(lecture.name)) {
      accepted.push_back(lecture);
    } else {
      report(result, fmt::format("lectern: {}: a lecture's name is {}; rename it", shown(lecture.source),
                                 kLectureNames));
      result.built = result.rendered = false;
    }
  }
  return accepted;
}

bool is_cpp_file(const fs::path& path) {
  const fs::path ending = path.extension();
  return ending == ".cpp" || ending == ".cc" || ending == ".cxx";
}

Lecture make_lecture(const Workspace& workspace, const std::string& argument, bool in_site) {
  const fs::path source = fs::canonical(argument);
  if (!is_cpp_file(source)) throw Error(argument + ": this is not a C++ file; name one that ends in .cpp");
  Lecture lecture{source.stem(), source, true};
  if (workspace.repository && source.parent_path() == fs::canonical(workspace.root) / "lectures") {
    lecture.outside = false;
    return lecture;
  }
  if (!is_lecture_name(lecture.name)) {
    throw Error(argument + ": a lecture's name is " + kLectureNames + "; rename it");
  }
  if (!in_site) return lecture;
  const auto known = known_lectures(workspace);
  const auto others = outside_lectures(workspace);
  const auto clashes = [&](const Lecture& other) {
    return other.name == lecture.name && other.source != source;
  };
  for (const auto* list : {&known, &others}) {
    const auto other = std::find_if(list->begin(), list->end(), clashes);
    if (other != list->end()) {
      throw Error(argument + ": " + other->source.string() + " has the same name in this site; rename one");
    }
  }
  return lecture;
}

/// Runs ninja and shows its progress; notes in the result how it went. Returns the lectures whose rendering
/// failed.
std::set<std::string> run_ninja(const fs::path& folder, const std::vector<std::string>& targets,
                                const BuildOptions& options, const fs::path& log, BuildResult& result) {
  Command command{
      .arguments = {"ninja", "-C", folder, "-k", "0"},
      .environment = {Progress::kStatus, "TERM=xterm", fmt::format("LECTERN_TIMEOUT={}", options.timeout)},
      .terminal = true,
      .stop = options.stop};
  command.arguments.insert(command.arguments.end(), targets.begin(), targets.end());
  // Lectures run while others compile: their threads should not spin while they wait.
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) command.environment.emplace_back("OMP_WAIT_POLICY=passive");
  int status = 0;
  std::set<std::string> failed_pages;
  {
    Progress progress;
    status = run_logged(command, log, [&](std::string_view line) {
      if (!options.stop.stop_requested()) progress.add(line);
    });
    result.messages += progress.messages();
    result.rendered &= status == 0 || (!progress.others_failed() && !progress.failed_pages().empty());
    failed_pages = progress.failed_pages();
  }
  result.stopped = options.stop.stop_requested();
  if (status == 0 || result.stopped) return {};
  result.built = false;
  report(result, "lectern: not everything was built; the whole log: " + shown(log));
  return failed_pages;
}

/// Whether the newest trace has a page. A page with a wrong plot is written anew whenever it is rendered.
bool is_rendered(const fs::path& trace, const fs::path& site) {
  std::error_code none;
  const fs::file_time_type page = fs::last_write_time(site / trace.stem() / "index.html", none);
  return !none && page >= fs::last_write_time(trace, none);
}

struct BuiltTrace {
  fs::path trace;
  bool rendered;  ///< by the build system
};

/// Brings the traces up to date, and their pages where the build system renders them. Returns those that
/// exist.
std::vector<BuiltTrace> update_traces(const Workspace& workspace, const std::vector<Lecture>& lectures,
                                      const BuildOptions& options, BuildResult& result) {
  // The author's own pages never go where those of others are.
  const bool for_others = options.for_others();
  const bool in_site = options.out.empty();
  std::vector<BuiltTrace> traces;
  // A run that was killed is repeated, perhaps with another time limit.
  const auto forget_killed = [](const fs::path& trace) {
    if (fs::exists(trace) && read_run_end(trace).killed) fs::remove(trace);
  };
  std::vector<std::string> targets;
  if (workspace.repository) targets = {"site-assets", "lectern_lecture"};
  const bool apart =
      options.sanitize || options.inspect_all;  // from the traces that are checked and accepted
  const auto is_project = [&](const Lecture& lecture) { return lecture.outside || apart; };
  for (const auto& lecture : lectures) {
    if (is_project(lecture)) continue;
    targets.push_back((in_site && !for_others ? "rendered-" : "trace-") + lecture.name);
    traces.push_back({workspace.traces / (lecture.name + ".json"), in_site});
    forget_killed(traces.back().trace);
  }
  std::set<std::string> failed_pages;
  if (!targets.empty())
    failed_pages = run_ninja(workspace.home, targets, options, workspace.logs() / "lectures.log", result);
  for (const auto& lecture : lectures) {
    if (!is_project(lecture) || result.stopped) continue;
    const OutsideProject project = prepare_outside(workspace, lecture,
                                                   {.out = for_others && !apart ? fs::path() : options.out,
                                                    .sanitize = options.sanitize,
                                                    .inspect_all = options.inspect_all});
    forget_killed(project.trace);
    failed_pages.merge(run_ninja(project.build, {(for_others ? "trace-" : "rendered-") + lecture.name},
                                 options, workspace.logs() / (lecture.name + ".log"), result));
    traces.push_back({project.trace, !for_others});
  }
  std::erase_if(traces, [](const BuiltTrace& built) { return !fs::exists(built.trace); });
  const fs::path site = in_site ? workspace.site : options.out;
  for (const BuiltTrace& built : traces) {
    if (failed_pages.contains(built.trace.stem())) result.rendered &= is_rendered(built.trace, site);
  }
  return traces;
}

/// Which claims of an exercise hold, with their places as the author names the file.
void tell_claims(const fs::path& trace, const std::vector<Lecture>& lectures, BuildResult& result) {
  const std::string name = trace.stem();
  const auto lecture = std::ranges::find_if(lectures, [&](const Lecture& each) { return each.name == name; });
  std::string folder = shown(lecture->source);
  folder.resize(folder.size() - lecture->source.filename().string().size());
  const ClaimReport claims = report_claims(trace, folder);
  const std::string message = fmt::format("lectern: {}: {}", name, claims.text);
  report(result, message.substr(0, message.size() - 1));
  result.claims_hold &= claims.all_hold;
}

/// Removes the pages of deleted lectures. In a site for others all lectures' pages are what builds leave
/// there; in the author's own, pages may have come otherwise, too: those of which traces were recorded here
/// go, and these.
void remove_orphans(const Workspace& workspace, const fs::path& site, bool for_others) {
  std::set<std::string> known, rendered;
  for (const auto& lecture : known_lectures(workspace)) known.insert(lecture.name);
  for (const auto& lecture : outside_lectures(workspace)) known.insert(lecture.name);
  if (for_others) {
    for (const std::string& name : lectures_in(site)) rendered.insert(name);
  } else if (fs::exists(workspace.traces)) {
    for (const fs::path& trace : list_traces(workspace.traces)) rendered.insert(trace.stem());
  }
  for (const std::string& name : rendered) {
    if (known.contains(name)) continue;
    std::fprintf(stderr, "  Removing %s\n", name.c_str());
    if (!remove_lecture(site / name))
      std::fprintf(stderr, "  %s stays, with what no build wrote\n", shown(site / name).c_str());
    if (for_others) continue;
    const fs::path trace = workspace.traces / (name + ".json");
    std::vector<fs::path> ranks = rank_files_from(trace, 1);
    ranks.push_back(trace);
    for (fs::path file : ranks) {
      remove_tree(file);
      remove_tree(file.replace_extension(".assets"));
    }
  }
}

/// Renders the accepted traces of the profiles that this machine does not record, beneath the lectures'
/// pages. Returns whether all was right with them.
bool render_other_profiles(const Workspace& workspace, const std::vector<BuiltTrace>& built,
                           const RenderOptions& options) {
  std::vector<fs::path> traces;
  for (const fs::path& profile : other_profiles(workspace)) {
    const std::vector<fs::path> more = list_traces(profile);
    traces.insert(traces.end(), more.begin(), more.end());
  }
  RenderOptions further = options;
  further.first_traces = workspace.traces;
  for (const auto& [trace, rendered] : built) further.first_elsewhere.emplace(trace.stem(), trace);
  return render_site(traces, further);
}

}  // namespace

std::vector<Lecture> known_lectures(const Workspace& workspace) {
  std::vector<Lecture> lectures;
  if (!workspace.repository) lectures = outside_lectures(workspace);
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(workspace.root / "lectures", none)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".cpp" || !entry.is_regular_file() || path.filename().string().front() == '.')
      continue;
    const bool is_known = std::any_of(lectures.begin(), lectures.end(),
                                      [&](const Lecture& lecture) { return lecture.name == path.stem(); });
    if (!is_known) lectures.push_back({path.stem(), fs::canonical(path), !workspace.repository});
  }
  std::sort(lectures.begin(), lectures.end(),
            [](const Lecture& a, const Lecture& b) { return a.name < b.name; });
  return lectures;
}

std::vector<Lecture> find_lectures(const Workspace& workspace, const std::vector<std::string>& names,
                                   bool in_site) {
  const auto known = known_lectures(workspace);
  if (names.empty()) return known;
  std::vector<Lecture> chosen;
  for (const auto& name : names) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const Lecture& lecture) { return lecture.name == name; });
    if (found != known.end()) {
      chosen.push_back(*found);
    } else if (fs::is_regular_file(name)) {
      chosen.push_back(make_lecture(workspace, name, in_site));
    } else {
      const std::string suggestion = nearest(name, lecture_names(known));
      throw Error(
          fmt::format("there is no lecture `{}`{}; there are: {}; or give the path of a C++ file", name,
                      suggestion.empty() ? "" : ", did you mean `" + suggestion + "`?",
                      known.empty() ? "none yet" : fmt::format("{}", fmt::join(lecture_names(known), ", "))));
    }
  }
  for (const Lecture& lecture : chosen) {
    const auto same = std::find_if(chosen.begin(), chosen.end(), [&](const Lecture& other) {
      return other.name == lecture.name && other.source != lecture.source;
    });
    if (same == chosen.end()) continue;
    throw Error(lecture.source.string() + ": " + same->source.string() +
                " has the same name in this site; rename one");
  }
  return chosen;
}

std::vector<fs::path> source_folders(const std::vector<Lecture>& lectures) {
  std::vector<fs::path> folders;
  for (const Lecture& lecture : lectures) {
    const fs::path folder = lecture.source.parent_path();
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
  }
  return folders;
}

fs::path site_for_others(const Workspace& workspace, const BuildOptions& options) {
  return workspace.root / (options.audience.students ? "build/students" : "build/published");
}

BuildResult build_lectures(const Workspace& workspace, const std::vector<Lecture>& requested,
                           const BuildOptions& options) {
  const BuildLock lock(workspace.root / "build", options.stop);
  if (options.stop.stop_requested()) return {.stopped = true};
  const fs::path site = options.out.empty() ? workspace.site : options.out;
  const SiteSettings settings = read_site_settings(shown(workspace.settings()));
  BuildResult result;
  const std::vector<Lecture> lectures = reject_bad_names(requested, result);
  const std::vector<BuiltTrace> traces = update_traces(workspace, lectures, options, result);
  if (result.stopped) return result;

  // The build system does not render pages in other folders, nor those of interrupted runs.
  std::vector<fs::path> to_render;
  std::vector<std::pair<std::string, RunEnd>> ended_early;
  std::vector<fs::path> exercises;
  for (const auto& [trace, rendered] : traces) {
    const RunEnd end = read_run_end(trace);
    if (!end.ok()) ended_early.emplace_back(trace.stem(), end);
    if (end.exercise) exercises.push_back(trace);
    if (!rendered || end.killed) to_render.push_back(trace);
  }
  const RenderOptions pages{
      .output = site,
      .templates = workspace.templates(),
      .audience = options.audience,
      .drafts = options.drafts,
      .settings = settings,
      .with_shown_place = [folders = source_folders(lectures)](const std::string& message) {
        return with_shown_place(message, folders);
      }};
  // Without a new page, too: what pages say of each other follows the settings and what is deleted.
  const bool has_pages = !lectures_in(site).empty();
  if (options.all && (options.out.empty() || options.for_others()))
    remove_orphans(workspace, site, options.for_others());
  if (!to_render.empty() || has_pages) result.built &= render_site(to_render, pages);
  if (!options.sanitize && !options.inspect_all && !lectures_in(site).empty())
    result.built &= render_other_profiles(workspace, traces, pages);

  for (const auto& [name, end] : ended_early) {
    const bool has_page = fs::exists(site / name / "index.html");
    const auto lecture = std::ranges::find(lectures, name, &Lecture::name);
    if (end.reason != end.how)
      report(result,
             "lectern: " + with_shown_place(end.reason, {lecture->source.parent_path(), workspace.root}));
    report(result, fmt::format("lectern: {} ended early: {}{}", name, end.how,
                               has_page ? "; its page shows how far it came" : ""));
    result.ended_early.push_back(name);
  }
  for (const BuiltTrace& built : traces) result.traces.push_back(built.trace);
  for (const fs::path& trace : exercises) tell_claims(trace, lectures, result);
  if (options.all && !options.for_others() && result.ok()) {
    const SiteProblems problems = site_problems(workspace, lectures, pages);
    for (const std::string& warning : problems.warnings) report(result, "lectern: " + as_warning(warning));
    for (const std::string& error : problems.errors) report(result, "lectern: " + error);
    result.built &= problems.errors.empty();
  }
  return result;
}

}  // namespace lectern::cli
