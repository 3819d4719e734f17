#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "site/settings.h"
#include "site/site_map.h"

namespace lectern {

/// The policy of every page: nothing from elsewhere, no script or style in the page itself.
inline constexpr const char* kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' "
    "data:; "
    "font-src 'self'; media-src 'self'";

/// What the pages of a site say of each other.
struct Website {
  SiteMap map = {};
  SiteSettings settings = {};
  /// By the name of a lecture, its runs besides the one that its page shows (profiles.h), by profile.
  std::map<std::string, std::vector<LectureSummary>> further = {};
  /// By name, the titles of lectures that have no page here (render.h).
  std::map<std::string, std::string> titles_elsewhere = {};
};

// Each fills a template of the folder; see site_templates/.

/// What in the body of a lecture's page has its goals and prerequisites, which lead to other lectures.
inline constexpr std::string_view kAimsBegin = "<div class=\"aims\">", kAimsEnd = "</div>";
/// And what has the terms that it uses, with definitions that other lectures may give.
inline constexpr std::string_view kTermsBegin =
    "<section class=\"references terms\" aria-labelledby=\"terms\">";
inline constexpr std::string_view kTermsEnd = "</section>";

/// `body` is trusted HTML.
std::string lecture_html(const std::filesystem::path& templates, const Website& site,
                         const LectureSummary& summary, const std::string& body);
/// The body that a lecture's page was made with; nothing for a page that was not made so.
std::optional<std::string> lecture_body_of(std::string_view page);

/// All lectures, in reading order, and the groups that they are in.
std::string home_html(const std::filesystem::path& templates, const Website& site);
/// The lectures of a group; of a series, part by part.
std::string group_html(const std::filesystem::path& templates, const Website& site, GroupOf kind,
                       const LectureGroup& group);
/// The page that a server shows in place of one that is missing, at whatever address.
std::string missing_html(const std::filesystem::path& templates, const Website& site);
/// The page of the speaker's window.
std::string speaker_html(const std::filesystem::path& templates);

}  // namespace lectern
