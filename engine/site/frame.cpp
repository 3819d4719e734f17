#include "site/frame.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.h"
#include "base/html.h"
#include "base/language_tag.h"
#include "base/path_url.h"
#include "site/cover_picture.h"
#include "site/feed.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// From a page to the folder of the home page.
std::string root_of(const std::string& path) {
  std::string root;
  for (auto i = std::count(path.begin(), path.end(), '/'); i > 0; --i) root += "../";
  return root;
}

/// For a page that is shown at any address: the path of the base address, if there is one.
std::string absolute_root(const std::string& base_url) {
  const std::size_t host = base_url.find("://");
  return host == std::string::npos ? std::string() : base_url.substr(base_url.find('/', host + 3));
}

void set_menu(mustache::data& data, const Website& site, const std::string& root) {
  mustache::data menu{mustache::data::type::list};
  for (const SiteSettings::MenuItem& item : site.settings.menu) {
    const std::size_t colon = item.url.find_first_of(":/?#");
    const bool absolute = colon != std::string::npos && item.url[colon] == ':';
    mustache::data entry;
    entry.set("menu_href", absolute ? item.url : root + item.url);
    entry.set("menu_name", with_pictures(item.name));
    menu << entry;
  }
  data.set("has_menu", !site.settings.menu.empty());
  data.set("menu", menu);
}

void set_crumbs(mustache::data& data, const PageFrame& frame) {
  mustache::data crumbs{mustache::data::type::list};
  for (const auto& [name, path] : frame.crumbs) {
    mustache::data crumb;
    crumb.set("crumb", with_pictures(name));
    set_text(crumb, "crumb_href", path);
    crumbs << crumb;
  }
  data.set("has_crumbs", !frame.crumbs.empty());
  data.set("crumbs", crumbs);
  data.set("crumb_alone", frame.crumb_alone);
}

/// For those who show links to the page.
void set_preview(mustache::data& data, const Website& site, const PageFrame& frame) {
  std::string path = frame.path;
  if (frame.lecture != nullptr && frame.lecture->beneath)
    path = path_url(frame.lecture->name) + "/index.html";
  const std::string url = frame.listed ? web_address(site, path) : std::string();
  set_text(data, "page_url", url);
  data.set("page_type", frame.lecture == nullptr ? "website" : "article");
  data.set("page_card", "summary");
  mustache::data tags{mustache::data::type::list};
  if (frame.lecture != nullptr) {
    const rendering::Front& front = frame.lecture->front;
    set_text(data, "page_authors", fmt::format("{}", fmt::join(front.authors, ", ")));
    set_text(data, "page_date", front.date);
    for (const std::string& tag : front.tags) tags << mustache::data("tag", with_pictures(tag));
    const std::string picture = cover_picture(*frame.lecture);
    if (!url.empty() && !picture.empty()) {
      data.set("page_image", url + picture);
      set_text(data, "page_image_alt", front.cover->alt);
      data.set("page_card", "summary_large_image");
    }
  }
  data.set("page_tags", tags);
}

}  // namespace

std::string lecture_path(const LectureSummary& lecture) {
  return path_url(lecture.name) + (lecture.beneath ? "/" + path_url(lecture.profile) : "") + "/index.html";
}

std::string site_name(const Website& site) {
  return site.settings.title.empty() ? "Lectures" : site.settings.title;
}

std::string language_of(const Website& site, const LectureSummary& lecture) {
  return is_language_tag(lecture.front.lang) ? lecture.front.lang : site.settings.language;
}

std::string web_address(const Website& site, const std::string& path) {
  if (site.settings.base_url.empty()) return {};
  constexpr std::string_view kIndex = "index.html";
  std::string url = site.settings.base_url + path;
  if (url.ends_with("/index.html")) url.resize(url.size() - kIndex.size());
  return url;
}

mustache::data frame_data(const fs::path& templates, const Website& site, const PageFrame& frame) {
  mustache::data data;
  for (const char* part : {"head", "top", "crumbs", "entries", "aims", "course", "runs"}) {
    const fs::path file = templates / (std::string(part) + ".mustache");
    data.set(std::string(part) + "_part",
             mustache::data(mustache::partial([file] { return read_file(file); })));
  }
  const std::string& title = site.settings.title;
  const std::string root = frame.listed ? root_of(frame.path) : absolute_root(site.settings.base_url);
  data.set("root", root);
  data.set("policy", kContentSecurityPolicy);
  data.set("lang", frame.lang.empty() ? site.settings.language : frame.lang);
  data.set("brand", with_pictures(title.empty() ? "Lectern" : title));
  data.set("site_name", with_pictures(site_name(site)));
  data.set("page_name", with_pictures(frame.name));
  data.set("page_title",
           with_pictures(!frame.title.empty() ? frame.title
                                              : frame.name + " · " + (title.empty() ? "Lectern" : title)));
  set_text(data, "page_description", frame.description);
  data.set("noindex", !frame.listed || (frame.lecture != nullptr && frame.lecture->front.draft));
  data.set("feed", has_feed(site));
  set_preview(data, site, frame);
  set_crumbs(data, frame);
  set_menu(data, site, root);
  return data;
}

}  // namespace lectern
