#include "cli/site_build.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "cli/baselines.h"
#include "cli/outside.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "site/render.h"
#include "trace/decode.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

/// One build at a time in a tree; the second waits.
class BuildLock {
 public:
  explicit BuildLock(const fs::path& folder) {
    make_folder(folder);
    const fs::path lock = folder / ".lock";
    descriptor_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw Error(shown(lock) + ": cannot be written: " + std::strerror(errno));
    flock(descriptor_, LOCK_EX);
  }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;
  ~BuildLock() { close(descriptor_); }

 private:
  int descriptor_;
};

std::vector<std::string> lecture_names(const std::vector<Lecture>& lectures) {
  std::vector<std::string> names;
  for (const auto& lecture : lectures) {
    if (is_lecture_name(lecture.name)) names.push_back(lecture.name);
  }
  return names;
}

/// The lectures that can be built; complains about the others.
std::vector<Lecture> reject_bad_names(const std::vector<Lecture>& lectures) {
  std::vector<Lecture> accepted;
  for (const auto& lecture : lectures) {
    if (is_lecture_name(lecture.name)) {
      accepted.push_back(lecture);
    } else {
      std::fprintf(stderr, "lectern: %s: a lecture's name is %s; rename it\n", shown(lecture.source).c_str(),
                   kLectureNames);
    }
  }
  return accepted;
}

bool is_cpp_file(const fs::path& path) {
  const fs::path ending = path.extension();
  return ending == ".cpp" || ending == ".cc" || ending == ".cxx";
}

Lecture make_lecture(const Workspace& workspace, const std::string& argument) {
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

/// Runs ninja and shows its progress. Returns its exit status.
int run_ninja(const fs::path& folder, const std::vector<std::string>& targets, double timeout,
              const fs::path& log) {
  Command command{
      .arguments = {"ninja", "-C", folder, "-k", "0"},
      .environment = {Progress::kStatus, "TERM=xterm", fmt::format("LECTERN_TIMEOUT={}", timeout)},
      .terminal = true};
  command.arguments.insert(command.arguments.end(), targets.begin(), targets.end());
  // Lectures run while others compile: their threads should not spin while they wait.
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) command.environment.emplace_back("OMP_WAIT_POLICY=passive");
  Progress progress;
  return run_logged(command, log, [&](std::string_view line) { progress.add(line); });
}

/// How a run ended, according to the closing record of its trace.
struct RunEnd {
  std::string how;          ///< empty if it ended by itself with status 0
  bool was_killed = false;  ///< or its supervisor was: the build system counts it as not run
};

RunEnd read_run_end(const fs::path& trace) {
  std::ifstream in(trace, std::ios::binary | std::ios::ate);
  if (!in) return {"the trace cannot be read"};
  const std::streamoff size = in.tellg();
  const std::streamoff wanted = std::min<std::streamoff>(size, 256 * 1024);
  std::string tail(static_cast<std::size_t>(wanted), '\0');
  in.seekg(size - wanted);
  in.read(tail.data(), wanted);
  const auto begin = tail.rfind("\n{\"end\":");
  const auto end = tail.rfind("\n]}");
  if (begin == std::string::npos || end == std::string::npos || end <= begin)
    return {"the trace is incomplete"};
  const Json record = Json::parse(tail.substr(begin, end - begin), nullptr, false);
  if (record.is_discarded()) return {"the trace is incomplete"};
  const std::string by = record.value("end", "");
  const int status = record.value("status", 0);
  const bool by_itself = by == "return" || by == "exit";
  if (by_itself && status == 0) return {};
  if (by_itself) return {fmt::format("exit status {}", status)};
  if (by == "signal") return {record.value("signal", "a signal")};
  return {by, by == "killed" || by == "orphaned" || by == "interrupted"};
}

/// Removes the pages and traces of deleted lectures. Returns whether there were any.
bool remove_orphans(const Workspace& workspace) {
  std::set<std::string> names;
  for (const auto& lecture : known_lectures(workspace)) names.insert(lecture.name);
  for (const auto& lecture : outside_lectures(workspace)) names.insert(lecture.name);
  bool removed = false;
  if (!fs::exists(workspace.traces)) return removed;
  std::vector<fs::path> orphans;
  for (const auto& entry : fs::directory_iterator(workspace.traces)) {
    if (entry.path().extension() == ".json" && !names.contains(entry.path().stem()))
      orphans.push_back(entry.path());
  }
  for (const auto& trace : orphans) {
    std::fprintf(stderr, "  Removing %s\n", trace.stem().c_str());
    fs::remove_all(workspace.site / trace.stem());
    fs::remove_all(fs::path(trace).replace_extension(".assets"));
    fs::remove(trace);
    removed = true;
  }
  return removed;
}

std::vector<fs::path> existing_traces(const Workspace& workspace, const std::vector<Lecture>& lectures) {
  std::vector<fs::path> traces;
  for (const auto& lecture : lectures) {
    fs::path trace = workspace.traces / (lecture.name + ".json");
    if (fs::exists(trace)) traces.push_back(std::move(trace));
  }
  return traces;
}

/// Renders the accepted traces of the profiles that this machine does not record, each in a folder of its
/// own. Returns whether there are any.
bool render_other_profiles(const Workspace& workspace, const fs::path& site) {
  const std::vector<fs::path> profiles = other_profiles(workspace);
  for (const fs::path& profile : profiles) {
    const std::string name = profile.filename();
    render_site(list_traces(profile),
                {.output = site / name, .templates = workspace.templates(), .profile = name});
  }
  return !profiles.empty();
}

}  // namespace

std::vector<Lecture> known_lectures(const Workspace& workspace) {
  if (!workspace.repository) return outside_lectures(workspace);
  std::vector<Lecture> lectures;
  if (!fs::exists(workspace.lectures())) return lectures;
  for (const auto& entry : fs::directory_iterator(workspace.lectures())) {
    const fs::path& path = entry.path();
    if (path.extension() != ".cpp" || !entry.is_regular_file() || path.filename().string().front() == '.')
      continue;
    lectures.push_back({path.stem(), path, false});
  }
  std::sort(lectures.begin(), lectures.end(),
            [](const Lecture& a, const Lecture& b) { return a.name < b.name; });
  return lectures;
}

std::vector<Lecture> find_lectures(const Workspace& workspace, const std::vector<std::string>& names) {
  const auto known = known_lectures(workspace);
  if (names.empty()) return known;
  std::vector<Lecture> chosen;
  for (const auto& name : names) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const Lecture& lecture) { return lecture.name == name; });
    if (found != known.end()) {
      chosen.push_back(*found);
    } else if (fs::is_regular_file(name)) {
      chosen.push_back(make_lecture(workspace, name));
    } else {
      const std::string suggestion = nearest(name, lecture_names(known));
      throw Error(
          fmt::format("there is no lecture `{}`{}; there are: {}; or give the path of a C++ file", name,
                      suggestion.empty() ? "" : ", did you mean `" + suggestion + "`?",
                      known.empty() ? "none yet" : fmt::format("{}", fmt::join(lecture_names(known), ", "))));
    }
  }
  return chosen;
}

BuildResult build_lectures(const Workspace& workspace, const std::vector<Lecture>& requested,
                           const BuildOptions& options) {
  const BuildLock lock(workspace.root / "build");
  const bool has_own_folder = !options.out.empty();
  const fs::path site = has_own_folder ? options.out : workspace.site;
  const std::string step = has_own_folder ? "trace-" : "page-";
  const std::vector<Lecture> lectures = reject_bad_names(requested);
  BuildResult result{.built = lectures.size() == requested.size()};
  std::vector<std::string> targets;
  if (workspace.repository) targets = {"site-assets", "lectern_lecture"};
  for (const auto& lecture : lectures) {
    if (!lecture.outside) targets.push_back(step + lecture.name);
  }
  const auto update = [&](const fs::path& folder, const std::vector<std::string>& what, const char* name) {
    const fs::path log = workspace.logs() / (std::string(name) + ".log");
    if (run_ninja(folder, what, options.timeout, log) == 0) return;
    result.built = false;
    std::fprintf(stderr, "lectern: not everything was built; the whole log: %s\n", shown(log).c_str());
  };
  if (!targets.empty()) update(workspace.home, targets, "lectures");
  for (const auto& lecture : lectures) {
    if (!lecture.outside) continue;
    update(prepare_outside(workspace, lecture), {step + lecture.name}, lecture.name.c_str());
  }

  // The build system does not render pages in other folders, nor those of killed runs.
  std::vector<fs::path> to_render;
  std::vector<std::pair<std::string, std::string>> ended_early;
  for (const auto& trace : existing_traces(workspace, lectures)) {
    const RunEnd end = read_run_end(trace);
    if (!end.how.empty()) ended_early.emplace_back(trace.stem(), end.how);
    if (has_own_folder || end.was_killed) to_render.push_back(trace);
  }
  const bool removed = remove_orphans(workspace), others = render_other_profiles(workspace, site);
  if (removed || others || !to_render.empty())
    render_site(to_render, {.output = site, .templates = workspace.templates()});

  for (const auto& [name, how] : ended_early) {
    const bool has_page = fs::exists(site / name / "index.html");
    std::fprintf(stderr, "lectern: %s ended early: %s%s\n", name.c_str(), how.c_str(),
                 has_page ? "; its page shows how far it came" : "");
    result.ended_early.push_back(name);
  }
  return result;
}

}  // namespace lectern::cli
