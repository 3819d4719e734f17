#include "site/site_map.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/characters.h"
#include "base/fnv.h"

namespace lectern {
namespace {

/// Zero is no order: such lectures come after those that have one.
int place_of(const LectureSummary& lecture) {
  return lecture.front.order > 0 ? lecture.front.order : std::numeric_limits<int>::max();
}

std::string series_slug(const LectureSummary& lecture) {
  return file_slug(lecture.front.series);
}

std::string part_slug(const LectureSummary& lecture) {
  return file_slug(lecture.front.subseries);
}

void sort_for_reading(std::vector<LectureSummary>& lectures) {
  std::map<std::pair<std::string, std::string>, int> part_places;  // of the first lecture of each
  for (const LectureSummary& lecture : lectures) {
    const auto [part, is_new] =
        part_places.try_emplace({series_slug(lecture), part_slug(lecture)}, place_of(lecture));
    part->second = std::min(part->second, place_of(lecture));
  }
  using Key = std::tuple<bool, std::string, int, std::string, int, std::string>;
  const auto key = [&](const LectureSummary& lecture) -> Key {
    const std::string series = series_slug(lecture), part = part_slug(lecture);
    const int place = part.empty() ? place_of(lecture) : part_places[{series, part}];
    return {series.empty(), series, place, part, place_of(lecture), lecture.name};
  };
  std::vector<std::pair<Key, LectureSummary>> keyed;
  keyed.reserve(lectures.size());
  for (LectureSummary& lecture : lectures) {
    Key lecture_key = key(lecture);
    keyed.emplace_back(std::move(lecture_key), std::move(lecture));
  }
  std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < keyed.size(); ++i) lectures[i] = std::move(keyed[i].second);
}

std::vector<std::string> names_of(const LectureSummary& lecture, GroupOf kind) {
  const rendering::Front& front = lecture.front;
  switch (kind) {
    case kSeries:
      return front.series.empty() ? std::vector<std::string>() : std::vector{front.series};
    case kCategories:
      return front.categories;
    case kTags:
      break;
  }
  return front.tags;
}

std::vector<LectureGroup> groups_of(const std::vector<LectureSummary>& lectures, GroupOf kind) {
  std::map<std::string, LectureGroup> groups;
  for (std::size_t i = 0; i < lectures.size(); ++i) {
    for (const std::string& name : names_of(lectures[i], kind)) {
      LectureGroup& group =
          groups.try_emplace(file_slug(name), LectureGroup{name, file_slug(name), {}}).first->second;
      if (group.lectures.empty() || group.lectures.back() != i) group.lectures.push_back(i);
    }
  }
  std::vector<LectureGroup> list;
  list.reserve(groups.size());
  for (auto& [slug, group] : groups) list.push_back(std::move(group));
  return list;
}

}  // namespace

std::string file_slug(std::string_view name) {
  constexpr std::size_t kLongestSlug = 60;
  if (name.empty()) return {};
  std::string out, lowered;
  bool plain = name.size() <= kLongestSlug;
  for (const char c : name) {
    const bool blank = c == ' ' || c == '-';
    lowered += to_lower(c);
    if (is_letter(c) || is_digit(c)) {
      out += to_lower(c);
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
    plain = plain && (blank || is_letter(c) || is_digit(c));
  }
  out.resize(std::min(out.size(), kLongestSlug));
  while (out.ends_with('-')) out.pop_back();
  if (plain && !out.empty()) return out;
  constexpr unsigned kHighHalf = 32;
  return fmt::format("{}{}{:08x}", out, out.empty() ? "" : "-",
                     static_cast<std::uint32_t>(fnv1a_64(lowered) >> kHighHalf));
}

std::string group_path(GroupOf kind, std::string_view name) {
  return fmt::format("{}/{}.html", kGroupKinds[kind].folder, file_slug(name));
}

SiteMap::SiteMap(std::vector<LectureSummary> summaries) : lectures(std::move(summaries)) {
  sort_for_reading(lectures);
  for (const GroupOf kind : {kSeries, kCategories, kTags}) groups[kind] = groups_of(lectures, kind);
}

SiteMap::Neighbours SiteMap::neighbours(std::string_view lecture) const {
  const auto found = std::find_if(lectures.begin(), lectures.end(),
                                  [&](const LectureSummary& each) { return each.name == lecture; });
  if (found == lectures.end()) return {};
  const auto same_series = [&](const LectureSummary& other) {
    return series_slug(other) == series_slug(*found);
  };
  Neighbours neighbours;
  if (found != lectures.begin() && same_series(*(found - 1))) neighbours.previous = &*(found - 1);
  if (found + 1 != lectures.end() && same_series(*(found + 1))) neighbours.next = &*(found + 1);
  return neighbours;
}

}  // namespace lectern
