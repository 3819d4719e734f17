#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "site/settings.h"
#include "trace/audience.h"

namespace lectern {

struct RenderOptions {
  std::filesystem::path output;     ///< the site's folder
  std::filesystem::path templates;  ///< site_templates, built: assets/ and *.mustache
  /// The profile that all of these traces were recorded for, when this is a site inside that of another one:
  /// its home page says so and leads out.
  std::string profile = {};
  Audience audience = {};
  bool drafts = true;  ///< with the lectures that are drafts; students never see those
  SiteSettings settings = {};
  /// Called with what cannot be shown as asked for, "FILE:LINE: what"; by default it goes to standard error.
  std::function<void(const std::string&)> warn = {};

  bool shows_drafts() const { return drafts && !audience.students; }
};

/// Copies what every page loads, scripts, styles and fonts, to the site's folder. Throws Error.
void copy_site_assets(const std::filesystem::path& templates, const std::filesystem::path& output);

/// Makes or updates the pages of these traces, NAME/index.html each, and all that the lectures of the site
/// say of each other (site_pages.h): the home page, which also leads to the sites of other profiles inside
/// it, those of series and tags, and the links between lectures, on the pages of the others too. Assets are
/// read from NAME.assets beside each trace. Returns whether all that the traces show could be shown: wrong
/// specifications of plots are said in their places and on standard error, "FILE:LINE: plot: what is wrong".
/// Throws Error.
bool render_site(const std::vector<std::filesystem::path>& traces, const RenderOptions& options);

}  // namespace lectern
