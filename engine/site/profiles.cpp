#include "site/profiles.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/characters.h"
#include "base/error.h"
#include "base/fnv.h"
#include "base/html.h"
#include "base/path_url.h"
#include "site/beside.h"
#include "site/frame.h"

namespace lectern {
namespace {

/// What readers call the device of a profile.
std::string device_for_readers(const Profile& profile) {
  if (!profile.device.empty()) return profile.device;
  if (profile.name == "cpu") return "CPU";
  if (profile.name == "python") return "Python";
  return profile.name == "cuda" ? "GPU" : profile.name;
}

std::string source_hash(const SourceFile& file) {
  std::uint64_t hash = fnv1a_64("");
  for (std::size_t i = 0; i < file.lines.size(); ++i) hash = fnv1a_64("\n", fnv1a_64(file.lines[i], hash));
  return fmt::format("{:016x}", hash);
}

const std::vector<LectureSummary>& further_runs(const Website& site, const std::string& lecture) {
  static const std::vector<LectureSummary> none;
  const auto found = site.further.find(lecture);
  return found == site.further.end() ? none : found->second;
}

}  // namespace

void describe_run(LectureSummary& summary, const Trace& trace) {
  const Profile profile = trace.profile.value_or(Profile());
  summary.profile = profile.name;
  summary.device = device_for_readers(profile);
  for (const SourceFile& file : trace.sources) summary.sources[file.path] = source_hash(file);
}

bool is_same_version(const LectureSummary& one, const LectureSummary& other) {
  return std::all_of(one.sources.begin(), one.sources.end(), [&](const auto& source) {
    const auto same = other.sources.find(source.first);
    return same == other.sources.end() || same->second == source.second;
  });
}

void check_further_profile(const Trace& trace, const std::filesystem::path& file) {
  const std::string name = trace.profile.value_or(Profile()).name;
  constexpr std::array<std::string_view, 3> kTaken{"assets", "calculators", "fragments"};
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == '-'; });
  if (!name.empty() && plain && std::find(kTaken.begin(), kTaken.end(), name) == kTaken.end()) return;
  throw Error(
      Place{file.string()},
      fmt::format("the lecture {} has a page of another trace already, and this one's profile \"{}\" "
                  "cannot name a folder beneath it; record it with `--profile` and a name of letters, "
                  "digits, \"-\" and \"_\"",
                  trace.lecture, name));
}

std::vector<const LectureSummary*> runs_of(const Website& site) {
  std::vector<const LectureSummary*> runs;
  for (const LectureSummary& lecture : site.map.lectures) runs.push_back(&lecture);
  for (const auto& [lecture, further] : site.further) {
    for (const LectureSummary& run : further) runs.push_back(&run);
  }
  return runs;
}

const LectureSummary* find_first_run(const Website& site, std::string_view lecture) {
  const auto& lectures = site.map.lectures;
  const auto found = std::find_if(lectures.begin(), lectures.end(),
                                  [&](const LectureSummary& each) { return each.name == lecture; });
  return found == lectures.end() ? nullptr : &*found;
}

std::string path_in_profile(const Website& site, const LectureSummary& lecture, const std::string& profile) {
  for (const LectureSummary& run : further_runs(site, lecture.name)) {
    if (run.profile == profile) return lecture_path(run);
  }
  return lecture_path(lecture);
}

void set_profiles(mustache::data& data, const Website& site, const LectureSummary& summary, bool is_beside) {
  const LectureSummary* const first = find_first_run(site, summary.name);
  const std::vector<LectureSummary>& further = further_runs(site, summary.name);
  if (first == nullptr || further.empty()) return;
  std::string names;
  mustache::data runs{mustache::data::type::list};
  const auto add = [&](const LectureSummary& run) {
    const bool shown =
        !is_beside && run.beneath == summary.beneath && (!run.beneath || run.profile == summary.profile);
    mustache::data entry;
    entry.set("run_href", lecture_path(run));
    entry.set("run_profile", run.profile);
    entry.set("run_device", with_pictures(run.device));
    entry.set("run_shown", shown);
    entry.set("run_stale", !is_same_version(*first, run));
    runs << entry;
  };
  add(*first);
  for (const LectureSummary& run : further) {
    add(run);
    names += (names.empty() ? "" : " ") + run.profile;
  }
  data.set("has_runs", true);
  data.set("runs", runs);
  set_text(data, "beside_href", beside_path(site, summary));
  data.set("is_beside", is_beside);
  data.set("further_runs", mustache::data(summary.beneath ? std::string() : names));
  data.set("stale", !is_same_version(*first, summary));
  data.set("first_href", lecture_path(*first));
}

}  // namespace lectern
