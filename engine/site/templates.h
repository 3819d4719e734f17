#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "site/markdown.h"
#include "site/summary.h"

namespace lectern {

/// The policy of every page: nothing from elsewhere, no script or style in the page itself.
inline constexpr const char* kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' "
    "data:; "
    "font-src 'self'; media-src 'self'";
/// Fills lecture.mustache in the folder of templates. `body` is trusted HTML; that many columns of costs may
/// stand beside its code. Pages `for_students` say so: they have no speaker's notes.
std::string lecture_html(const std::filesystem::path& templates, const LectureSummary& summary,
                         const std::vector<Heading>& outline, const std::string& body, int cost_columns = 0,
                         bool for_students = false);

/// What a home page lists.
struct HomePage {
  std::vector<LectureSummary> lectures;
  std::string profile = {};                ///< of a site inside another one
  std::vector<std::string> profiles = {};  ///< of the sites inside this one
};

/// Fills speaker.mustache, the page of the speaker's window.
std::string speaker_html(const std::filesystem::path& templates);

/// Fills home.mustache.
std::string home_html(const std::filesystem::path& templates, const HomePage& home);

}  // namespace lectern
