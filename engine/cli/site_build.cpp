#include "cli/site_build.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/outside.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "site/render.h"
#include "trace/trace.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

/// Two builds in one tree would disturb each other: the second waits.
class BuildLock {
 public:
  explicit BuildLock(const fs::path& folder) {
    fs::create_directories(folder);
    descriptor_ = open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
  }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;
  ~BuildLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }

 private:
  int descriptor_;
};

std::vector<std::string> names_of(const std::vector<Lecture>& lectures) {
  std::vector<std::string> names;
  names.reserve(lectures.size());
  for (const auto& lecture : lectures) names.push_back(lecture.name);
  return names;
}

Lecture from_path(const Workspace& workspace, const std::string& argument) {
  const fs::path source = fs::canonical(argument);
  Lecture lecture{source.stem(), source, true};
  if (workspace.repository && source.parent_path() == fs::canonical(workspace.root) / "lectures") {
    lecture.outside = false;
    return lecture;
  }
  if (!is_lecture_name(lecture.name)) {
    throw Error(argument + ": a lecture's file name is letters, digits, - and _; rename it");
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

/// Runs ninja and shows how far it is. Returns its exit status.
int run_ninja(const fs::path& folder, const std::vector<std::string>& targets, const fs::path& log) {
  Command command{.arguments = {"ninja", "-C", folder, "-k", "0"}, .environment = {"NINJA_STATUS=[%f/%t] "}};
  command.arguments.insert(command.arguments.end(), targets.begin(), targets.end());
  Progress progress;
  return run_logged(command, log, [&](std::string_view line) { progress.ninja(line); });
}

/// The closing record of a trace, without reading the rest: how the run ended. Empty when there is none.
std::string ending_of(const fs::path& trace) {
  std::ifstream in(trace, std::ios::binary | std::ios::ate);
  if (!in) return "the trace cannot be read";
  const std::streamoff size = in.tellg();
  const std::streamoff wanted = std::min<std::streamoff>(size, 256 * 1024);
  std::string tail(static_cast<std::size_t>(wanted), '\0');
  in.seekg(size - wanted);
  in.read(tail.data(), wanted);
  const auto begin = tail.rfind("\n{\"end\":");
  const auto end = tail.rfind("\n]}");
  if (begin == std::string::npos || end == std::string::npos || end <= begin)
    return "the trace is incomplete";
  const Json record = Json::parse(tail.substr(begin, end - begin), nullptr, false);
  if (record.is_discarded()) return "the trace is incomplete";
  const std::string by = record.value("end", "");
  const int status = record.value("status", 0);
  if (by == "return" && status == 0) return {};
  if (by == "signal") return record.value("signal", "a signal");
  return by == "return" || by == "exit" ? fmt::format("exit status {}", status) : by;
}

/// Removes the pages and traces of lectures that are no more. Returns whether there were any.
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

std::vector<fs::path> traces_of(const Workspace& workspace, const std::vector<Lecture>& lectures) {
  std::vector<fs::path> traces;
  for (const auto& lecture : lectures) {
    fs::path trace = workspace.traces / (lecture.name + ".json");
    if (fs::exists(trace)) traces.push_back(std::move(trace));
  }
  return traces;
}

}  // namespace

std::vector<Lecture> known_lectures(const Workspace& workspace) {
  if (!workspace.repository) return outside_lectures(workspace);
  std::vector<Lecture> lectures;
  if (!fs::exists(workspace.lectures())) return lectures;
  for (const auto& entry : fs::directory_iterator(workspace.lectures())) {
    if (entry.path().extension() == ".cpp") lectures.push_back({entry.path().stem(), entry.path(), false});
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
      chosen.push_back(from_path(workspace, name));
    } else {
      const std::string meant = nearest(name, names_of(known));
      throw Error(
          fmt::format("there is no lecture `{}`{}; there are: {}; or give the path of a C++ file", name,
                      meant.empty() ? "" : ", did you mean `" + meant + "`?",
                      known.empty() ? "none yet" : fmt::format("{}", fmt::join(names_of(known), ", "))));
    }
  }
  return chosen;
}

BuildResult build_lectures(const Workspace& workspace, const std::vector<Lecture>& lectures,
                           const fs::path& out) {
  const BuildLock lock(workspace.root / "build");
  const std::string step = out.empty() ? "page-" : "trace-";
  BuildResult result;
  std::vector<std::string> targets;
  if (workspace.repository) targets = {"site-assets", "lectern_lecture"};
  for (const auto& lecture : lectures) {
    if (!lecture.outside) targets.push_back(step + lecture.name);
  }
  const auto bring_up_to_date = [&](const fs::path& folder, const std::vector<std::string>& what,
                                    const char* name) {
    const fs::path log = workspace.logs() / (std::string(name) + ".log");
    if (run_ninja(folder, what, log) == 0) return;
    result.built = false;
    std::fprintf(stderr, "lectern: not everything was built; the whole log: %s\n", shown(log).c_str());
  };
  if (!targets.empty()) bring_up_to_date(workspace.home, targets, "lectures");
  for (const auto& lecture : lectures) {
    if (!lecture.outside) continue;
    bring_up_to_date(prepare_outside(workspace, lecture), {step + lecture.name}, lecture.name.c_str());
  }

  const bool removed = remove_orphans(workspace);
  if (!out.empty() || removed) {
    render_site(traces_of(workspace, lectures),
                {.output = out.empty() ? workspace.site : out, .templates = workspace.templates()});
  }

  for (const auto& lecture : lectures) {
    const fs::path trace = workspace.traces / (lecture.name + ".json");
    if (!fs::exists(trace)) continue;
    const std::string ending = ending_of(trace);
    if (ending.empty()) continue;
    std::fprintf(stderr, "lectern: %s ended early: %s; its page shows how far it came\n",
                 lecture.name.c_str(), ending.c_str());
    result.ended_early.push_back(lecture.name);
  }
  return result;
}

}  // namespace lectern::cli
