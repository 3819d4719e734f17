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
#include "site/profiles.h"

namespace lectern {
namespace {

struct ListedWork {
  const rendering::Link* work = nullptr;  ///< rather as a file of references has it than as a link
  MentionPlaces places;
};

/// In what several works of one lecture are alike: its author told them apart, by their keys.
std::set<std::string> told_apart(const std::vector<const LectureSummary*>& runs) {
  std::set<std::string> apart;
  for (const LectureSummary* run : runs) {
    std::set<std::string> known;
    for (const CitedWork& cited : run->works) {
      std::string identity = work_identity(cited.work);
      if (!known.insert(identity).second) apart.insert(std::move(identity));
    }
  }
  return apart;
}

/// As labels sort works: by name and year.
std::string order_of(const rendering::Link& work) {
  std::string label = work.label.empty() ? work.title : work.label;
  std::transform(label.begin(), label.end(), label.begin(), to_lower);
  if (label.starts_with('[')) label.erase(0, 1);
  return label;
}

/// The works of all lectures, each once, in their order.
std::vector<ListedWork> works_of(const Website& site) {
  const std::vector<const LectureSummary*> runs = runs_of(site);
  const std::set<std::string> apart = told_apart(runs);
  std::map<std::string, ListedWork> works;
  for (const LectureSummary* run : runs) {
    for (const auto& [work, anchors] : run->works) {
      std::string identity = work_identity(work);
      if (apart.contains(identity)) identity += "\n" + work.key;
      ListedWork& listed = works[identity];
      if (listed.work == nullptr || (listed.work->key.empty() && !work.key.empty())) listed.work = &work;
      for (const std::string& anchor : anchors) add_place(listed.places, *run, anchor);
    }
  }
  std::vector<ListedWork> list;
  list.reserve(works.size());
  for (auto& [identity, listed] : works) list.push_back(std::move(listed));
  std::ranges::stable_sort(list, {}, [](const ListedWork& listed) { return order_of(*listed.work); });
  return list;
}

}  // namespace

bool has_works(const Website& site) {
  return std::ranges::any_of(runs_of(site), [](const LectureSummary* run) { return !run->works.empty(); });
}

std::string bibliography_html(const std::filesystem::path& templates, const Website& site) {
  const std::vector<ListedWork> works = works_of(site);
  if (works.empty()) return {};
  mustache::data data = frame_data(templates, site,
                                   {.path = "bibliography.html",
                                    .name = "Bibliography",
                                    .description = "The works that the lectures refer to."});
  data.set("size", counted(works.size(), "work", "works"));
  mustache::data list{mustache::data::type::list};
  for (const auto& [work, places] : works) {
    mustache::data entry;
    entry.set("work", work_html(*work));
    entry.set("places", places_data(places));
    list << entry;
  }
  data.set("works", list);
  return fill(templates / "bibliography.mustache", data);
}

std::vector<std::string> unused_references(const Website& site, const std::filesystem::path& file) {
  const std::vector<BibEntry> entries = parse_bibtex(read_file(file), file.string());
  std::set<std::string> used;
  for (const LectureSummary* run : runs_of(site)) {
    for (const CitedWork& cited : run->works) used.insert(cited.work.key);
  }
  for (const BibEntry& entry : entries) {
    if (used.contains(entry.key)) used.insert(entry.parent);
  }
  std::vector<std::string> problems;
  for (const BibEntry& entry : entries) {
    if (used.contains(entry.key)) continue;
    problems.push_back(fmt::format("{}:{}: no lecture cites `{}`; cite it, or remove it", file.string(),
                                   entry.line, entry.key));
  }
  return problems;
}

}  // namespace lectern
