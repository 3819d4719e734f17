#include "site/translations.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/language_tag.h"
#include "trace/languages.h"

namespace lectern {

std::string language_attributes(std::string_view language) {
  if (!is_language_tag(language)) return {};
  return fmt::format(" lang=\"{}\"{}", language, is_right_to_left(language) ? " dir=\"rtl\"" : "");
}

std::vector<std::string> translation_problems(const std::vector<Rendering>& show, std::size_t begin,
                                              std::size_t end,
                                              const std::vector<std::string>& site_languages) {
  std::vector<std::string> problems;
  if (site_languages.empty()) return problems;
  std::set<std::string, std::less<>> found;
  for (; begin < end; ++begin) found.emplace(language_of(show[begin]));
  for (const std::string& language : site_languages) {
    if (found.erase(language) == 0)
      problems.push_back("this is not there in \"" + language +
                         "\", one of the site's languages; translate it");
  }
  for (const std::string& language : found)
    problems.push_back("\"" + language +
                       "\" is not among the languages of site.toml; add it there, or correct it");
  return problems;
}

std::vector<std::string> languages_in(std::string_view html, const std::vector<std::string>& site_languages) {
  const std::string begin = fmt::format("<div{} lang=\"", kAlternative);
  std::vector<std::string> found;
  for (std::size_t at = html.find(begin); at != html.npos; at = html.find(begin, at)) {
    at += begin.size();
    std::string tag(html.substr(at, html.find('"', at) - at));
    if (std::ranges::count(found, tag) == 0) found.push_back(std::move(tag));
  }
  std::ranges::stable_sort(found, {},
                           [&](const std::string& tag) { return std::ranges::find(site_languages, tag); });
  return found;
}

}  // namespace lectern
