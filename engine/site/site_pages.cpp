#include "site/site_pages.h"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/characters.h"
#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"
#include "site/beside.h"
#include "site/feed.h"
#include "site/glossary.h"
#include "site/own_files.h"
#include "site/profiles.h"
#include "site/site_bibliography.h"
#include "site/site_search.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 11> kSiteFiles{
    "assets",       "index.html", "speaker.html", "404.html",          "feed.xml",     "sitemap.xml",
    "symbols.html", "search.js",  "robots.txt",   "bibliography.html", "glossary.html"};

std::vector<LectureSummary> read_summaries(const fs::path& site) {
  std::vector<LectureSummary> lectures;
  for (const std::string& name : lectures_in(site)) {
    const fs::path file = site / name / kSummaryFile;
    lectures.push_back(summary_from_json(read_file(file), file.string()));
    lectures.back().name = name;
  }
  return lectures;
}

bool is_wanted(const LectureSummary& run, const RenderOptions& options) {
  return !run.front.draft || options.shows_drafts();
}

/// The runs of a lecture that have pages beneath its own.
std::vector<LectureSummary> read_further(const RenderOptions& options, const LectureSummary& first) {
  std::vector<LectureSummary> further = read_summaries(options.output / first.name);
  for (LectureSummary& run : further) {
    run.profile = std::exchange(run.name, first.name);
    run.beneath = true;
  }
  std::erase_if(further, [&](const LectureSummary& run) {
    return run.profile == first.profile || !is_wanted(run, options);
  });
  return further;
}

void put_newest(std::vector<LectureSummary>& list, const LectureSummary& newest,
                std::string LectureSummary::*key) {
  std::erase_if(list, [&](const LectureSummary& each) { return each.*key == newest.*key; });
  list.push_back(newest);
}

void remove_unwanted(const RenderOptions& options) {
  for (const LectureSummary& lecture : read_summaries(options.output)) {
    const fs::path folder = options.output / lecture.name;
    if (!is_wanted(lecture, options)) {
      remove_lecture(folder);
      continue;
    }
    for (const LectureSummary& run : read_summaries(folder)) {
      const bool has_become_first = run.name == lecture.profile;
      if (has_become_first || !is_wanted(run, options)) remove_lecture(folder / run.name);
    }
  }
}

/// What surrounds the text of each lecture, and the pages of two runs beside each other.
void write_surroundings(const Website& site, const RenderOptions& options) {
  const auto write = [&](const LectureSummary& run) {
    const fs::path folder = options.output / run.name;
    const fs::path page = (run.beneath ? folder / run.profile : folder) / "index.html";
    if (!fs::is_regular_file(page)) return;
    if (const auto body = lecture_body_of(read_file(page)))
      write_file_if_changed(page, lecture_html(options.templates, site, run, *body));
    if (!run.beneath) return;
    const LectureSummary* const first = find_first_run(site, run.name);
    const bool beside = first != nullptr && is_of_other_program(*first, run);
    write_or_remove(page.parent_path() / kBesidePage,
                    beside ? beside_html(options.templates, site, *first, run) : std::string());
  };
  for (const LectureSummary& lecture : site.map.lectures) write(lecture);
  for (const auto& [lecture, runs] : site.further) std::for_each(runs.begin(), runs.end(), write);
}

using GroupFiles = std::array<std::set<fs::path>, kGroupKinds.size()>;

GroupFiles write_groups(const Website& site, const RenderOptions& options) {
  GroupFiles files;
  for (const GroupOf kind : {kSeries, kCategories, kTags}) {
    for (const LectureGroup& group : site.map.groups[kind]) {
      const fs::path file = group.slug + ".html";
      write_file_if_changed(options.output / kGroupKinds[kind].folder / file,
                            group_html(options.templates, site, kind, group));
      files[kind].insert(file);
    }
  }
  return files;
}

void write_files_for_programs(const Website& site, const RenderOptions& options) {
  write_file_if_changed(options.output / "404.html", missing_html(options.templates, site));
  write_or_remove_own(options.output / "feed.xml", feed_xml(options.templates, site));
  write_or_remove_own(options.output / "sitemap.xml", sitemap_xml(options.templates, site));
  const fs::path robots = options.output / "robots.txt";
  if (!fs::exists(robots) || is_own_file(robots)) write_or_remove(robots, robots_text(site));
}

}  // namespace

std::vector<std::string> lectures_in(const fs::path& site) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(site, error)) {
    if (fs::is_regular_file(entry.path() / kSummaryFile, error)) names.push_back(entry.path().filename());
  }
  return names;
}

bool is_name_of_site(std::string_view name) {
  return name == kReportFolder || std::find(kSiteFiles.begin(), kSiteFiles.end(), name) != kSiteFiles.end() ||
         std::any_of(kGroupKinds.begin(), kGroupKinds.end(),
                     [name](const GroupKind& kind) { return kind.folder == name; });
}

void check_lecture_name(const Trace& trace, const fs::path& file) {
  const std::string& name = trace.lecture;
  const bool plain =
      std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == '-' || c == '.'; });
  if (name.empty() || !plain || name.front() == '.' || name.size() > kLongestLectureName) {
    const std::string_view shown = utf8_prefix(name, kLongestLectureName);
    throw Error(Place{file.string()},
                "the lecture's name \"" + std::string(shown) + (shown.size() < name.size() ? "\u2026" : "") +
                    "\" cannot be a folder's; use letters, digits, \"-\" and \"_\", at most " +
                    std::to_string(kLongestLectureName));
  }
  if (is_name_of_site(name)) {
    throw Error(Place{file.string()},
                "the site has something else of the name \"" + name + "\"; name the lecture otherwise");
  }
}

Website read_site(const RenderOptions& options, const std::optional<LectureSummary>& newest) {
  std::vector<LectureSummary> lectures = read_summaries(options.output);
  if (newest && !newest->beneath) put_newest(lectures, *newest, &LectureSummary::name);
  std::erase_if(lectures, [&](const LectureSummary& each) { return !is_wanted(each, options); });
  Website site{.map = SiteMap(std::move(lectures)),
               .settings = options.settings,
               .titles_elsewhere = options.titles_elsewhere};
  for (const LectureSummary& lecture : site.map.lectures) {
    std::vector<LectureSummary> further = read_further(options, lecture);
    if (newest && newest->beneath && newest->name == lecture.name)
      put_newest(further, *newest, &LectureSummary::profile);
    std::sort(further.begin(), further.end(),
              [](const LectureSummary& a, const LectureSummary& b) { return a.profile < b.profile; });
    if (!further.empty()) site.further.emplace(lecture.name, std::move(further));
  }
  return site;
}

void keep_further_pages(const RenderOptions& options,
                        const std::set<std::pair<std::string, std::string>>& kept) {
  for (const LectureSummary& lecture : read_summaries(options.output)) {
    for (const LectureSummary& run : read_further(options, lecture)) {
      if (!kept.contains({run.name, run.profile})) remove_lecture(options.output / run.name / run.profile);
    }
  }
}

void note_drafts(const RenderOptions& options, const std::set<std::string>& drafts) {
  for (LectureSummary& lecture : read_summaries(options.output)) {
    if (!drafts.contains(lecture.name)) continue;
    lecture.front.draft = true;
    write_file_if_changed(options.output / lecture.name / kSummaryFile, to_json(lecture));
  }
}

void write_site_pages(const RenderOptions& options) {
  const fs::path& output = options.output;
  const Website site = read_site(options);
  const GroupFiles groups = write_groups(site, options);
  write_surroundings(site, options);
  const std::vector<SearchedLecture> searched = searched_lectures(site, output);
  write_file_if_changed(output / "search.js", search_script(searched));
  write_file_if_changed(output / "symbols.html", symbols_html(options.templates, site, searched));
  write_or_remove_own(output / "bibliography.html", bibliography_html(options.templates, site));
  write_or_remove_own(output / "glossary.html", glossary_html(options.templates, site));
  write_file_if_changed(output / "speaker.html", speaker_html(options.templates));
  write_files_for_programs(site, options);
  write_file_if_changed(output / "index.html", home_html(options.templates, site));
  for (const GroupOf kind : {kSeries, kCategories, kTags})
    keep_own_files(output / kGroupKinds[kind].folder, groups[kind]);
  remove_unwanted(options);
}

}  // namespace lectern
