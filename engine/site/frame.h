#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "site/mustache.h"
#include "site/templates.h"

namespace lectern {

/// What distinguishes the head and the top of one page from those of others.
struct PageFrame {
  std::string path = {};  ///< from the home page, which is "index.html"
  std::string name = {};
  std::string title = {};  ///< of the window; empty: the name and the site's
  std::string description = {};
  std::string lang = {};                                         ///< empty: the site's
  std::vector<std::pair<std::string, std::string>> crumbs = {};  ///< names and paths above; no path: no link
  bool crumb_alone = false;                 ///< the name stands above without crumbs, too
  const LectureSummary* lecture = nullptr;  ///< whose page it is
  bool listed = true;                       ///< search engines may list it
};

/// What every page's template is filled with: head_part, top_part and crumbs_part are the parts of all.
mustache::data frame_data(const std::filesystem::path& templates, const Website& site,
                          const PageFrame& frame);

/// The address of a page on the web; empty without a base address. Of an index.html it is its folder's.
std::string web_address(const Website& site, const std::string& path);

/// The page of a lecture's run, from the home page.
std::string lecture_path(const LectureSummary& lecture);

/// The name of the site for others.
std::string site_name(const Website& site);

/// The language of a lecture: its own, if it has one.
std::string language_of(const Website& site, const LectureSummary& lecture);

}  // namespace lectern
