#include "site/templates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/files.h"
#include "base/html.h"
#include "base/path_url.h"
#include "base/readable_numbers.h"
#include "site/ascii.h"
#include "site/assets.h"
#include "site/course.h"
#include "site/frame.h"
#include "site/glossary.h"
#include "site/mustache.h"
#include "site/profiles.h"
#include "site/ranks.h"
#include "site/site_bibliography.h"
#include "site/translations.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBodyBegin = "<!-- body -->\n", kBodyEnd = "<!-- /body -->\n";

void set_claims(mustache::data& data, const LectureSummary& summary) {
  set_text(data, "claims", claims_text(summary));
  data.set("failed", summary.claims_failed > 0);
}

/// What leads to a lecture, from the home page down: names and paths.
std::vector<std::pair<std::string, std::string>> crumbs_of(const LectureSummary& summary) {
  std::vector<std::pair<std::string, std::string>> crumbs;
  const rendering::Front& front = summary.front;
  if (!front.course.empty()) crumbs.emplace_back(front.course, "");
  if (front.series.empty()) return crumbs;
  const std::string path = group_path(kSeries, front.series);
  crumbs.emplace_back(front.series, path);
  if (!front.subseries.empty()) crumbs.emplace_back(front.subseries, path + "#" + file_slug(front.subseries));
  return crumbs;
}

mustache::data labels_of(const LectureSummary& summary) {
  mustache::data labels{mustache::data::type::list};
  const auto add = [&](GroupOf kind, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      mustache::data label;
      label.set("label", with_pictures(name));
      label.set("label_href", group_path(kind, name));
      labels << label;
    }
  };
  add(kCategories, summary.front.categories);
  add(kTags, summary.front.tags);
  return labels;
}

/// For search engines, and for those who show links to the page.
std::string described(const LectureSummary& summary) {
  if (!summary.front.description.empty()) return summary.front.description;
  return summary.opening.empty() ? "A lecture to read, and to step through line by line." : summary.opening;
}

/// A lecture in a list. `level` is that of its heading.
mustache::data entry_data(const Website& site, const LectureSummary& summary, int level, bool in_series) {
  const rendering::Front& front = summary.front;
  mustache::data entry;
  entry.set("href", lecture_path(summary));
  entry.set("level", std::to_string(level));
  entry.set("title", with_pictures(summary.title));
  set_text(entry, "description", front.description);
  set_text(entry, "meta", facts_text(summary));
  set_text(entry, "ended", summary.ended);
  set_claims(entry, summary);
  entry.set("draft", front.draft);
  set_aims(entry, site, summary);
  const std::string lang = language_of(site, summary);
  if (lang != site.settings.language) entry.set("entry_lang", lang);
  if (front.cover->in_lists && !front.cover->src.empty() && inside_folder(front.cover->src)) {
    entry.set("picture", path_url(summary.name) + "/" + Assets::url(front.cover->src));
    entry.set("picture_alt", with_pictures(front.cover->alt));
  }
  mustache::data above{mustache::data::type::list};
  const auto crumbs = in_series ? std::vector<std::pair<std::string, std::string>>() : crumbs_of(summary);
  for (const auto& [name, path] : crumbs) {
    mustache::data crumb;
    crumb.set("above_name", with_pictures(name));
    set_text(crumb, "above_href", path);
    above << crumb;
  }
  entry.set("has_above", !crumbs.empty());
  entry.set("above", above);
  entry.set("labels", labels_of(summary));
  return entry;
}

mustache::data outline_data(const std::vector<Heading>& outline) {
  mustache::data list{mustache::data::type::list};
  for (const Heading& heading : outline) {
    mustache::data entry;
    entry.set("level", std::to_string(heading.level));
    entry.set("id", heading.id);
    set_text(entry, "text", heading.text);
    list << entry;
  }
  return list;
}

void set_languages(mustache::data& data, const std::vector<std::string>& languages) {
  mustache::data choice{mustache::data::type::list};
  for (const std::string& tag : languages) choice << mustache::data("tag", tag);
  data.set("has_languages", !languages.empty());
  data.set("tags", fmt::format("{}", fmt::join(languages, " ")));
  data.set("languages", choice);
}

/// Where the repository's forge edits the file.
std::string edit_address(const SiteSettings::Repository& repository, const std::string& source) {
  if (repository.url.empty() || source.empty() || !inside_folder(source)) return {};
  const bool gitlab = repository.url.find("gitlab") != std::string::npos;
  const bool gitea = repository.url.find("codeberg") != std::string::npos ||
                     repository.url.find("gitea") != std::string::npos;
  const std::string_view action = gitlab ? "/-/edit/" : gitea ? "/_edit/" : "/edit/";
  const fs::path path = fs::path(repository.folder) / source;
  return fmt::format("{}{}{}/{}", repository.url, action, path_url(repository.branch),
                     path_url(path.lexically_normal().generic_string()));
}

/// The body, with this in place of what it has between two marks.
std::string with_part(std::string body, std::string_view begin_mark, std::string_view end_mark,
                      const std::string& part) {
  std::size_t begin = body.find(begin_mark);
  if (begin == body.npos) return body;
  begin += begin_mark.size();
  return body.replace(begin, body.find(end_mark, begin) - begin, part);
}

/// What stands below a lecture.
void set_after(mustache::data& data, const Website& site, const LectureSummary& summary) {
  const rendering::Front& front = summary.front;
  SiteMap::Neighbours neighbours;
  if (front.show.navigation) neighbours = site.map.neighbours(summary.name);
  const auto set_neighbour = [&](const std::string& name, const LectureSummary* neighbour) {
    if (neighbour == nullptr) return;
    data.set(name, with_pictures(neighbour->title));
    data.set(name + "_href", path_in_profile(site, *neighbour, summary.profile));
  };
  set_neighbour("previous", neighbours.previous);
  set_neighbour("next", neighbours.next);
  const bool has_neighbours = neighbours.previous != nullptr || neighbours.next != nullptr;
  if (!front.series.empty()) {
    data.set("series", with_pictures(front.series));
    data.set("series_href", group_path(kSeries, front.series));
  }
  set_text(data, "license", front.license->name);
  if (!front.license->name.empty() && safe_link(front.license->url))
    set_text(data, "license_url", front.license->url);
  const std::string edit = edit_address(site.settings.repository, summary.source);
  set_text(data, "edit", edit);
  const bool has_about = !front.series.empty() || !front.license->name.empty() || !edit.empty();
  data.set("has_neighbours", has_neighbours);
  data.set("has_about", has_about);
  data.set("has_after", has_neighbours || has_about || !site.settings.menu.empty());
}

}  // namespace

void set_text(mustache::data& data, const std::string& name, const std::string& text) {
  data.set(name, text.empty() ? mustache::data(false) : mustache::data(with_pictures(text)));
}

std::string fill(const fs::path& file, const mustache::data& data) {
  mustache::mustache page(read_file(file));
  if (!page.is_valid())
    throw Error(Place{file.string()}, "is not a Mustache template: " + page.error_message());
  return page.render(data);
}

std::string lecture_html(const fs::path& templates, const Website& site, const LectureSummary& summary,
                         const std::string& body) {
  const rendering::Front& front = summary.front;
  const std::string lang = language_of(site, summary);
  using Crumbs = std::vector<std::pair<std::string, std::string>>;
  mustache::data data = frame_data(templates, site,
                                   {.path = lecture_path(summary),
                                    .name = summary.title,
                                    .description = described(summary),
                                    .lang = lang,
                                    .crumbs = front.show.breadcrumbs ? crumbs_of(summary) : Crumbs(),
                                    .crumb_alone = true,
                                    .lecture = &summary});
  const bool calculators = body.find("<div class=\"calculator\"") != std::string::npos;
  if (calculators) {  // they are compiled from the page's own scripts
    std::string policy = kContentSecurityPolicy;
    constexpr std::string_view kScripts = "script-src 'self'";
    policy.insert(policy.find(kScripts) + kScripts.size(), " 'wasm-unsafe-eval'");
    data.set("policy", policy);
  }
  data.set("calculators", calculators);
  data.set("ranks", body.find(kRanksSection) != std::string::npos);
  set_aims(data, site, summary);
  set_terms(data, site, summary);
  std::string filled = with_part(body, kAimsBegin, kAimsEnd, fill(templates / "aims.mustache", data));
  filled = with_part(filled, kTermsBegin, kTermsEnd, fill(templates / "terms.mustache", data));
  set_claims(data, summary);
  data.set("last_step", std::to_string(summary.steps == 0 ? 0 : summary.steps - 1));
  if (const std::size_t math = filled.find("class=\"katex"); math != std::string::npos)
    data.set("math", mustache::data("place", math < filled.find("<div class=\"block\">") ? "near" : "far"));
  data.set("students", summary.for_students);
  if (summary.cost_columns > 0) data.set("costs", std::to_string(summary.cost_columns));
  const bool has_outline = front.show.contents && !summary.outline.empty();
  if (!front.show.contents || !front.show.contents_open) data.set("contents", "closed");
  data.set("has_outline", has_outline);
  data.set("outline", outline_data(has_outline ? summary.outline : std::vector<Heading>()));
  set_languages(data, languages_in(body, site.settings.languages));
  set_after(data, site, summary);
  set_profiles(data, site, summary);
  data.set("body", filled);
  return with_references(fill(templates / "lecture.mustache", data));
}

std::optional<std::string> lecture_body_of(std::string_view page) {
  const std::size_t begin = page.find(kBodyBegin), end = page.rfind(kBodyEnd);
  if (begin == page.npos || end == page.npos || end < begin) return std::nullopt;
  const std::size_t first = begin + kBodyBegin.size();
  return std::string(page.substr(first, end - first));
}

std::string speaker_html(const fs::path& templates) {
  mustache::data data;
  data.set("policy", kContentSecurityPolicy);
  return fill(templates / "speaker.mustache", data);
}

std::string missing_html(const fs::path& templates, const Website& site) {
  return fill(templates / "missing.mustache",
              frame_data(templates, site, {.path = "404.html", .name = "No such page", .listed = false}));
}

std::string home_html(const fs::path& templates, const Website& site) {
  const SiteSettings& settings = site.settings;
  const char* const kLead =
      "Each of these lectures is a program that ran once, line by line. Read it as a text, or step through "
      "what every line did.";
  const char* const kDescription =
      "Lectures that are programs: read them, and step through what every line did.";
  mustache::data data =
      frame_data(templates, site,
                 {.path = "index.html",
                  .name = site_name(site),
                  .title = settings.title,
                  .description = settings.description.empty() ? kDescription : settings.description});
  data.set("lead", with_pictures(settings.description.empty() ? kLead : settings.description));
  mustache::data list{mustache::data::type::list};
  const bool has_course = set_course(data, site);
  for (const LectureSummary& summary : site.map.lectures)
    list << entry_data(site, summary, has_course ? 3 : 2, false);
  data.set("has_lectures", !site.map.lectures.empty());
  data.set("lectures", list);
  mustache::data indexes{mustache::data::type::list};
  for (const GroupOf kind : {kSeries, kCategories, kTags}) {
    if (site.map.groups[kind].empty()) continue;
    mustache::data groups{mustache::data::type::list}, index;
    for (const LectureGroup& group : site.map.groups[kind]) {
      mustache::data entry;
      entry.set("group_name", with_pictures(group.name));
      entry.set("group_href", group_path(kind, group.name));
      entry.set("group_size", with_separators(group.lectures.size()));
      groups << entry;
    }
    index.set("index_name", std::string(kGroupKinds[kind].plural));
    index.set("index_id", std::string(kGroupKinds[kind].folder));
    index.set("groups", groups);
    indexes << index;
  }
  data.set("indexes", indexes);
  data.set("has_works", has_works(site));
  data.set("has_terms", has_terms(site));
  return fill(templates / "home.mustache", data);
}

std::string group_html(const fs::path& templates, const Website& site, GroupOf kind,
                       const LectureGroup& group) {
  const std::string plural(kGroupKinds[kind].plural);
  const std::string size = counted(group.lectures.size(), "lecture", "lectures");
  mustache::data data =
      frame_data(templates, site,
                 {.path = fmt::format("{}/{}.html", kGroupKinds[kind].folder, group.slug),
                  .name = group.name,
                  .description = fmt::format("{}: {}, {}", kGroupKinds[kind].singular, group.name, size),
                  .crumbs = {{plural, fmt::format("index.html#{}", kGroupKinds[kind].folder)}}});
  data.set("kind", std::string(kGroupKinds[kind].singular));
  data.set("size", size);
  mustache::data sections{mustache::data::type::list};
  for (std::size_t i = 0; i < group.lectures.size();) {
    const auto part_of = [&](std::size_t at) -> std::string {
      return kind == kSeries ? site.map.lectures[group.lectures[at]].front.subseries : "";
    };
    const std::string part = part_of(i);
    mustache::data section, list{mustache::data::type::list};
    for (; i < group.lectures.size() && file_slug(part_of(i)) == file_slug(part); ++i)
      list << entry_data(site, site.map.lectures[group.lectures[i]], part.empty() ? 2 : 3, kind == kSeries);
    set_text(section, "part", part);
    set_text(section, "part_id", file_slug(part));
    section.set("lectures", list);
    sections << section;
  }
  data.set("sections", sections);
  return fill(templates / "group.mustache", data);
}

}  // namespace lectern
