#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "site/settings.h"
#include "trace/audience.h"

namespace lectern {

struct RenderOptions {
  std::filesystem::path output;     ///< the site's folder
  std::filesystem::path templates;  ///< site_templates, built: assets/ and *.mustache
  /// Set when the traces are of further profiles (profiles.h), and all that the site is to have: the folder
  /// with the traces that its lectures' pages are made of. A lecture without a page gets none of them.
  std::filesystem::path first_traces = {};
  std::map<std::string, std::filesystem::path> first_elsewhere =
      {};  ///< by lecture, traces that are not there
  Audience audience = {};
  /// With the lectures that are drafts; students never see those. Without, a lecture is one if any of its
  /// traces says so, and what is there of it is removed.
  bool drafts = true;
  SiteSettings settings = {};
  bool packs_values = true;  ///< compresses those of pages with many
  /// By name, of lectures that have no page here but are known by their title: those of other single files.
  std::map<std::string, std::string> titles_elsewhere = {};
  /// Called with what cannot be shown as asked for, "FILE:LINE: what"; by default it goes to standard error.
  /// With `first_traces`, only of pages that have changed.
  std::function<void(const std::string&)> warn = {};
  /// Traces name a lecture's files from its folder: how standard error names the one that a message begins
  /// with; by default as they do.
  std::function<std::string(const std::string&)> with_shown_place = {};

  bool shows_drafts() const { return drafts && !audience.students; }
};

/// Copies what every page loads, scripts, styles and fonts, to the site's folder. Throws Error.
void copy_site_assets(const std::filesystem::path& templates, const std::filesystem::path& output);

/// Makes or updates the pages of these traces, NAME/index.html each, and all that the lectures of the site
/// say of each other (site_pages.h): the home page, those of series and tags, and the links between lectures,
/// on the pages of the others too. Of several traces of one lecture, in different profiles, the first is its
/// page, and the others stand beneath it. Assets are read from NAME.assets beside each trace; those of the
/// same version of the lecture share them. Returns whether all that the traces show could be shown: wrong
/// specifications of plots are said in their places and on standard error, "FILE:LINE: plot: what is wrong".
/// Throws Error.
bool render_site(const std::vector<std::filesystem::path>& traces, const RenderOptions& options);

}  // namespace lectern
