#include "cli/html_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.h"
#include "base/readable_numbers.h"
#include "base/terminal.h"
#include "site/mustache.h"
#include "site/render.h"
#include "site/templates.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

std::string verdict_text(const Report& report) {
  if (report.failed()) return "Something could not be compared";
  if (report.same()) return "All is the same";
  std::size_t items = 0;
  for (const LectureReport& lecture : report.lectures) items += lecture.diff.items.size();
  return counted(items, "difference", "differences");
}

std::string facts_text(const Diff& diff) {
  std::string text = diff.same() ? "the same" : counted(diff.items.size(), "difference", "differences");
  if (diff.old_steps + diff.new_steps > 0)
    text += " · " + counted(diff.old_steps, "step", "steps") + " before, " + with_separators(diff.new_steps) +
            " now";
  return text;
}

/// Where a step is shown: in the pages of one side.
std::string step_href(const char* side, const std::string& lecture, const DifferencePlace& place) {
  return place.step < 0 ? "" : fmt::format("../{}/{}/index.html{}", side, lecture, place.link);
}

mustache::data item_data(const LectureReport& lecture, const Difference& item, bool has_page) {
  const std::string& name = lecture.diff.lecture;
  const DifferencePlace& place = main_place(item);
  std::string slug(to_string(item.kind));
  std::replace(slug.begin(), slug.end(), ' ', '-');
  mustache::data data;
  data.set("id", item.id);
  data.set("kind", std::string(to_string(item.kind)));
  data.set("slug", slug);
  data.set("subject", one_line(item.subject));
  data.set("message", one_line(item.message));
  data.set("place",
           place.line > 0 ? fmt::format("{}:{}", one_line(source_path(lecture, place)), place.line) : "");
  data.set("old_step", std::to_string(item.old_place.step));
  data.set("new_step", std::to_string(item.new_place.step));
  set_text(data, "often", often_text(item));
  if (has_page) {
    data.set("href", fmt::format("compare/{}.html#i{}", name, item.id));
    set_text(data, "old_href", step_href("old", lecture.diff.old_lecture, item.old_place));
    set_text(data, "new_href", step_href("new", name, item.new_place));
  }
  return data;
}

mustache::data items_data(const LectureReport& lecture, bool has_page) {
  mustache::data list{mustache::data::type::list};
  for (const Difference& item : lecture.diff.items) list << item_data(lecture, item, has_page);
  return list;
}

void write_index(const Report& report, const std::vector<bool>& pages, const fs::path& templates,
                 const fs::path& output) {
  mustache::data data;
  data.set("policy", kContentSecurityPolicy);
  data.set("verdict", verdict_text(report));
  mustache::data list{mustache::data::type::list};
  for (std::size_t i = 0; i < report.lectures.size(); ++i) {
    const LectureReport& lecture = report.lectures[i];
    mustache::data entry;
    entry.set("name", one_line(report_name(lecture)));
    set_text(entry, "page", pages[i] ? "compare/" + lecture.diff.lecture + ".html" : "");
    entry.set("facts", facts_text(lecture.diff));
    set_text(entry, "failure", one_line(lecture.failure));
    mustache::data notes{mustache::data::type::list};
    for (const std::string& note : lecture.diff.notes) notes << mustache::data("note", one_line(note));
    entry.set("notes", notes);
    entry.set("has_items",
              lecture.diff.same() ? mustache::data::type::bool_false : mustache::data::type::bool_true);
    entry.set("items", items_data(lecture, pages[i]));
    list << entry;
  }
  data.set("lectures", list);
  set_text(data, "remedy", report.same() ? "" : report.remedy);
  write_file(output / "index.html", fill(templates / "report.mustache", data));
}

void write_comparison(const LectureReport& lecture, const fs::path& templates, const fs::path& folder) {
  const std::string& name = lecture.diff.lecture;
  mustache::data data;
  data.set("policy", kContentSecurityPolicy);
  data.set("name", name);
  data.set("old_name", lecture.diff.old_lecture);
  data.set("facts", facts_text(lecture.diff));
  data.set("items", items_data(lecture, true));
  write_file(folder / (name + ".js"),
             fmt::format("lecternCompare([{}]);\n", fmt::join(lecture.diff.nearest_old_step, ",")));
  write_file(folder / (name + ".html"), fill(templates / "compare.mustache", data));
}

}  // namespace

void write_html_report(const Report& report, const std::vector<TracePair>& traces, const fs::path& templates,
                       const fs::path& output) {
  std::vector<fs::path> old_traces, new_traces;
  std::vector<bool> pages;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const bool both = !traces[i].old_trace.empty() && !traces[i].new_trace.empty();
    pages.push_back(both && report.lectures[i].failure.empty() && report.lectures[i].rank.value_or(0) == 0);
    if (!pages.back()) continue;
    old_traces.push_back(traces[i].old_trace);
    new_traces.push_back(traces[i].new_trace);
  }
  const auto quiet = [](const std::string&) {};  // what the lectures' own build has said already
  render_site(old_traces, {.output = output / "old", .templates = templates, .warn = quiet});
  render_site(new_traces, {.output = output / "new", .templates = templates, .warn = quiet});
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (pages[i]) write_comparison(report.lectures[i], templates, output / "compare");
  }
  copy_site_assets(templates, output);
  write_index(report, pages, templates, output);
}

}  // namespace lectern::cli
