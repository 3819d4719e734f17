#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "site/summary.h"

namespace lectern {

/// The kinds of groups that lectures are in; each group has a page, FOLDER/SLUG.html.
struct GroupKind {
  std::string_view folder;    ///< of the site
  std::string_view singular;  ///< what a page calls one of them
  std::string_view plural;
};
inline constexpr std::array<GroupKind, 3> kGroupKinds{GroupKind{"series", "Series", "Series"},
                                                      {"categories", "Category", "Categories"},
                                                      {"tags", "Tag", "Tags"}};
enum GroupOf : std::uint8_t { kSeries, kCategories, kTags };

/// Lectures that have the name of a series, category or tag in common: names that differ only in the case of
/// letters and in what is between words are one.
struct LectureGroup {
  std::string name;                   ///< as the first of its lectures writes it
  std::string slug;                   ///< of its page's file
  std::vector<std::size_t> lectures;  ///< in reading order
};

/// How the lectures of a site belong together. Lectures are in reading order: series by series, then those
/// without one. In a series they have the order that they give, parts of it together, where the first of
/// their lectures would be; the others follow by name.
struct SiteMap {
  std::vector<LectureSummary> lectures;
  std::array<std::vector<LectureGroup>, kGroupKinds.size()> groups;  ///< by slug, of each kind

  SiteMap() = default;
  explicit SiteMap(std::vector<LectureSummary> summaries);

  /// Those before and after a lecture in its series (or among those without one); null at its ends.
  struct Neighbours {
    const LectureSummary* previous = nullptr;
    const LectureSummary* next = nullptr;
  };
  Neighbours neighbours(std::string_view lecture) const;
};

/// The name of a file for a name: "byte-pair-encoding". Names with other characters than ASCII's letters,
/// digits, blanks and hyphens ("C++", "Größe") get a hash at the end, so that no two share one.
std::string file_slug(std::string_view name);

/// Where the page of a group is, from the home page: "tags/memory.html".
std::string group_path(GroupOf kind, std::string_view name);

}  // namespace lectern
