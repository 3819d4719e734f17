#include "lecture/front_matter.h"

#include <algorithm>

#include "base/moment.h"
#include "lecture/checks.h"
#include "lecture/media.h"
#include "lecture/rendering.h"
#include "record/recorder.h"

namespace lectern {
namespace {

void check_no_empty(const std::vector<std::string>& texts, const std::string& what) {
  if (std::find(texts.begin(), texts.end(), "") != texts.end())
    refuse("lecture: one of the " + what + " is empty; name it or leave it out");
}

void check_front(const FrontMatter& front) {
  if (front.title.empty()) refuse("lecture: the title is missing; add .title = \"…\"");
  if (front.date.empty()) refuse("lecture: the date is missing; add .date = \"YYYY-MM-DD\"");
  if (!moment_of(front.date)) {
    refuse("lecture: \"" + front.date +
           "\" is not a date; write it as YYYY-MM-DD, or with a time and its zone, 2026-11-21T18:00+01:00");
  }
  for (const FrontMatter::Author& author : front.authors) {
    check_no_empty({author.name}, "authors");
    if (!author.url.empty()) check_url("lecture", author.url);
  }
  check_no_empty(front.tags, "tags");
  check_no_empty(front.categories, "categories");
  check_no_empty(front.goals, "goals");
  check_no_empty(front.prerequisites, "prerequisites");
  if (front.series.empty() && !front.subseries.empty())
    refuse("lecture: a subseries is part of a series; add .series = \"…\" before it");
  if (front.order < 0) refuse("lecture: .order counts from 1; 0, or nothing, is the order of names");
  if (front.processes != 0 && record::recording() && record::processes() == 0)
    refuse("lecture: .processes is read before the lecture runs; write it in digits, in lecture({…}) itself");
  check_language("lecture", front.lang);
  if (!front.license.url.empty()) {
    check_url("lecture", front.license.url);
    if (front.license.name.empty()) refuse("lecture: the licence has no name; add .name = \"…\" to it");
  }
  if (front.cover.image.empty() && front.cover != FrontMatter::Cover())
    refuse("lecture: the cover has no image; add .image = \"…\" to it");
}

rendering::Cover recorded(const FrontMatter::Cover& cover) {
  if (cover.image.empty()) return {};
  return {add_image("lecture: the cover", cover.image, cover.alt), cover.alt, cover.caption, cover.on_page,
          cover.in_lists};
}

}  // namespace

void lecture(const FrontMatter& front) {
  check_front(front);
  if (!record::recording()) return print_plain("# " + front.title);
  record::note_front_matter();
  rendering::Front shown{.title = front.title,
                         .date = front.date,
                         .authors = {},
                         .tags = front.tags,
                         .description = front.description,
                         .course = front.course,
                         .author_urls = {},
                         .series = front.series,
                         .subseries = front.subseries,
                         .order = front.order,
                         .categories = front.categories,
                         .draft = front.draft,
                         .cover = recorded(front.cover),
                         .lang = front.lang,
                         .license = front.license,
                         .show = front.show,
                         .goals = front.goals,
                         .prerequisites = front.prerequisites};
  for (const FrontMatter::Author& author : front.authors) {
    shown.authors.push_back(author.name);
    if (!author.url.empty()) shown.author_urls.emplace_back(author.name, author.url);
  }
  add_rendering(shown);
}

}  // namespace lectern
