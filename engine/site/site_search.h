#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "site/search_entries.h"
#include "site/templates.h"

namespace lectern {

/// A lecture and what can be found in it.
struct SearchedLecture {
  std::string name, title;
  std::vector<SearchEntry> entries;
};

/// The lectures of a site, in reading order, as their folders have them. Those rendered by a Lectern that did
/// not search have no entries.
std::vector<SearchedLecture> searched_lectures(const Website& site, const std::filesystem::path& folder);

/// A JSON array of the lectures (WrittenLecture in site_templates/src/search.ts).
std::string searched_json(const std::vector<SearchedLecture>& lectures);

/// search.js: one call, `lecternSearch("…");`, of that array as a Zstandard frame in base64, a third of its
/// size: at most 50 KB for a lecture.
std::string search_script(const std::vector<SearchedLecture>& lectures);

/// All functions and variables of the lectures by name, each with the places where it is. Upper and lower
/// case are alike.
std::string symbols_html(const std::filesystem::path& templates, const Website& site,
                         const std::vector<SearchedLecture>& lectures);

}  // namespace lectern
