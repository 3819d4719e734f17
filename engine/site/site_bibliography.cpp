#include "site/site_bibliography.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/bibtex.h"
#include "base/characters.h"
#include "base/files.h"
#include "base/readable_numbers.h"
#include "site/bibliography.h"
#include "site/frame.h"
#include "site/mentions.h"
#include "site/mustache.h"

namespace lectern {
namespace {

/// The works of all lectures, each once, as their labels sort them: by name and year.
using SortedWorks =
    std::map<std::pair<std::string, std::string>, std::pair<const rendering::Link*, MentionPlaces>>;

SortedWorks works_of(const Website& site) {
  SortedWorks works;
  for (const LectureSummary& lecture : site.map.lectures) {
    for (const CitedWork& cited : lecture.works) {
      const rendering::Link& work = cited.work;
      std::string label = work.label.empty() ? work.title : work.label;
      std::transform(label.begin(), label.end(), label.begin(), to_lower);
      if (label.starts_with('[')) label.erase(0, 1);
      auto& [link, places] = works[{label, work.key.empty() ? work_identity(work) : work.key}];
      link = &work;
      for (const std::string& anchor : cited.anchors) places.emplace_back(&lecture, anchor);
    }
  }
  return works;
}

}  // namespace

bool has_works(const Website& site) {
  return std::ranges::any_of(site.map.lectures,
                             [](const LectureSummary& lecture) { return !lecture.works.empty(); });
}

std::string bibliography_html(const std::filesystem::path& templates, const Website& site) {
  const SortedWorks works = works_of(site);
  if (works.empty()) return {};
  mustache::data data = frame_data(templates, site,
                                   {.path = "bibliography.html",
                                    .name = "Bibliography",
                                    .description = "The works that the lectures refer to."});
  data.set("size", counted(works.size(), "work", "works"));
  mustache::data list{mustache::data::type::list};
  for (const auto& [order, work] : works) {
    mustache::data entry;
    entry.set("work", work_html(*work.first));
    entry.set("places", places_data(work.second));
    list << entry;
  }
  data.set("works", list);
  return fill(templates / "bibliography.mustache", data);
}

std::vector<std::string> unused_references(const Website& site, const std::filesystem::path& file) {
  const std::vector<BibEntry> entries = parse_bibtex(read_file(file), file.string());
  std::set<std::string> used;
  for (const LectureSummary& lecture : site.map.lectures) {
    for (const CitedWork& cited : lecture.works) used.insert(cited.work.key);
  }
  for (const BibEntry& entry : entries) {
    if (used.contains(entry.key)) used.insert(entry.parent);
  }
  std::vector<std::string> warnings;
  for (const BibEntry& entry : entries) {
    if (used.contains(entry.key)) continue;
    warnings.push_back(fmt::format("{}:{}: warning: no lecture cites `{}`; cite it, or remove it",
                                   file.string(), entry.line, entry.key));
  }
  return warnings;
}

}  // namespace lectern
