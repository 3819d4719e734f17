#include "site/course.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "site/frame.h"

namespace lectern {
namespace {

/// What a text is shown as: the name of a lecture as its title.
std::string title_or_text(const Website& site, const std::string& text) {
  const auto elsewhere = site.titles_elsewhere.find(text);
  return elsewhere == site.titles_elsewhere.end() ? text : elsewhere->second;
}

/// Texts, of which those that are names of lectures are their titles; those of the site lead there.
mustache::data linked_texts(const Website& site, const std::vector<std::string>& texts) {
  mustache::data list{mustache::data::type::list};
  for (const std::string& text : texts) {
    mustache::data entry;
    const auto lecture = std::ranges::find(site.map.lectures, text, &LectureSummary::name);
    const bool known = lecture != site.map.lectures.end();
    entry.set("text", with_pictures(known ? lecture->title : title_or_text(site, text)));
    set_text(entry, "text_href", known ? lecture_path(*lecture) : "");
    entry.set("comma", &text != &texts.back());
    list << entry;
  }
  return list;
}

void set_texts(mustache::data& data, const std::string& name, const Website& site,
               const std::vector<std::string>& texts) {
  data.set(name, linked_texts(site, texts));
  data.set("has_" + name, !texts.empty());
}

void set_day(mustache::data& data, const std::string& name, const std::string& day) {
  set_text(data, name, day);
  set_text(data, name + "_text", show_date(day));
}

mustache::data week_data(const Website& site, const SiteSettings::Course::Week& week, std::size_t number) {
  mustache::data data;
  data.set("number", with_separators(number));
  set_text(data, "week_title", week.title);
  set_day(data, "begins", week.begins);
  set_texts(data, "held", site, week.lectures);
  mustache::data assignments{mustache::data::type::list};
  for (const SiteSettings::Course::Assignment& assignment : week.assignments) {
    mustache::data entry;
    entry.set("assignment", with_pictures(assignment.name));
    set_text(entry, "assignment_url", assignment.url);
    set_day(entry, "due", assignment.due);
    assignments << entry;
  }
  data.set("assignments", assignments);
  data.set("has_assignments", !week.assignments.empty());
  return data;
}

}  // namespace

void set_aims(mustache::data& data, const Website& site, const LectureSummary& lecture) {
  set_texts(data, "goals", site, lecture.front.goals);
  set_texts(data, "prerequisites", site, lecture.front.prerequisites);
}

bool set_course(mustache::data& data, const Website& site) {
  const SiteSettings::Course& course = site.settings.course;
  set_texts(data, "course_goals", site, course.goals);
  set_texts(data, "course_prerequisites", site, course.prerequisites);
  mustache::data weeks{mustache::data::type::list};
  for (std::size_t i = 0; i < course.weeks.size(); ++i) weeks << week_data(site, course.weeks[i], i + 1);
  data.set("weeks", weeks);
  data.set("has_weeks", !course.weeks.empty());
  const bool has_course = !course.goals.empty() || !course.prerequisites.empty() || !course.weeks.empty();
  data.set("has_course", has_course);
  return has_course;
}

}  // namespace lectern
