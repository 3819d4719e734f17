#include "site/feed.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/html.h"
#include "base/moment.h"
#include "base/path_url.h"
#include "site/frame.h"
#include "site/mustache.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// Without the characters that XML 1.0 does not have; the template escapes the others.
std::string xml_text(const std::string& text) {
  std::string out = with_pictures(text);
  for (const std::string_view none : {"\uFFFE", "\uFFFF"}) {
    for (std::size_t at = 0; (at = out.find(none, at)) != std::string::npos;)
      out.replace(at, none.size(), "\uFFFD");
  }
  return out;
}

void set_xml(mustache::data& data, const std::string& name, const std::string& text) {
  if (!text.empty()) data.set(name, xml_text(text));
}

bool is_published(const Website& site) {
  return !site.settings.base_url.empty();
}

std::string address_of(const Website& site, const LectureSummary& lecture) {
  return web_address(site, path_url(lecture.name) + "/index.html");
}

/// What a feed has: the lectures with a date, the newest first.
std::vector<std::pair<Moment, const LectureSummary*>> dated_lectures(const Website& site) {
  std::vector<std::pair<Moment, const LectureSummary*>> dated;
  for (const LectureSummary& lecture : site.map.lectures) {
    const auto date = moment_of(lecture.front.date);
    if (date && !lecture.front.draft) dated.emplace_back(*date, &lecture);
  }
  std::ranges::stable_sort(dated, std::greater(), [](const auto& each) { return each.first.begin; });
  return dated;
}

mustache::data feed_entry(const Website& site, const LectureSummary& lecture, const Moment& date) {
  const rendering::Front& front = lecture.front;
  mustache::data entry;
  set_xml(entry, "title", lecture.title);
  entry.set("id", address_of(site, lecture));
  entry.set("date", timestamp(date));
  entry.set("entry_lang", language_of(site, lecture));
  set_xml(entry, "summary", front.description);
  set_xml(entry, "rights", front.license->name);
  mustache::data authors{mustache::data::type::list}, terms{mustache::data::type::list};
  for (const std::string& name : front.authors) {
    mustache::data author;
    author.set("author", xml_text(name));
    const std::string* const url = front.author_urls.find(name);
    if (url != nullptr && url->find(':') != std::string::npos && safe_link(*url))
      set_xml(author, "uri", *url);
    authors << author;
  }
  for (const auto* names : {&front.categories, &front.tags}) {
    for (const std::string& name : *names) terms << mustache::data("term", xml_text(name));
  }
  entry.set("authors", authors);
  entry.set("terms", terms);
  return entry;
}

}  // namespace

bool has_feed(const Website& site) {
  return is_published(site) && !dated_lectures(site).empty();
}

std::string feed_xml(const fs::path& templates, const Website& site) {
  if (!has_feed(site)) return {};
  const auto dated = dated_lectures(site);
  mustache::data data, entries{mustache::data::type::list};
  data.set("lang", site.settings.language);
  set_xml(data, "site_name", site_name(site));
  set_xml(data, "site_description", site.settings.description);
  data.set("base", site.settings.base_url);
  data.set("updated", timestamp(dated.front().first));
  for (const auto& [date, lecture] : dated) entries << feed_entry(site, *lecture, date);
  data.set("entries", entries);
  return fill(templates / "feed.mustache", data);
}

std::string sitemap_xml(const fs::path& templates, const Website& site) {
  if (!is_published(site)) return {};
  mustache::data data, pages{mustache::data::type::list};
  const auto add = [&](const std::string& address, const std::string& date) {
    mustache::data page;
    page.set("loc", address);
    if (const auto moment = moment_of(date)) page.set("date", moment->is_day ? date : timestamp(*moment));
    pages << page;
  };
  add(site.settings.base_url, "");
  for (const LectureSummary& lecture : site.map.lectures) {
    if (!lecture.front.draft) add(address_of(site, lecture), lecture.front.date);
  }
  for (const GroupOf kind : {kSeries, kCategories, kTags}) {
    for (const LectureGroup& group : site.map.groups[kind]) {
      const bool published = std::any_of(group.lectures.begin(), group.lectures.end(),
                                         [&](std::size_t at) { return !site.map.lectures[at].front.draft; });
      if (published) add(web_address(site, group_path(kind, group.name)), "");
    }
  }
  data.set("pages", pages);
  return fill(templates / "sitemap.mustache", data);
}

std::string robots_text(const Website& site) {
  if (!is_published(site)) return {};
  return fmt::format("{}User-agent: *\nAllow: /\n\nSitemap: {}sitemap.xml\n", kRobotsMark,
                     site.settings.base_url);
}

}  // namespace lectern
