#include "site/beside.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/html.h"
#include "base/nearest.h"
#include "site/ascii.h"
#include "site/counterparts.h"
#include "site/frame.h"
#include "site/mustache.h"
#include "site/number_column.h"
#include "site/profiles.h"
#include "site/script_call.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

const LectureSummary* find_other_program(const Website& site, const LectureSummary& first) {
  const auto further = site.further.find(first.name);
  if (further == site.further.end()) return nullptr;
  const auto found = std::ranges::find_if(
      further->second, [&](const LectureSummary& each) { return is_of_other_program(first, each); });
  return found == further->second.end() ? nullptr : &*found;
}

/// "C++ · CPU", "Python".
std::string side_name(const LectureSummary& run) {
  const bool python = !run.sources.empty() && run.sources.begin()->first.ends_with(".py");
  const std::string language = python ? "Python" : "C++";
  return run.device.empty() || run.device == language ? language : language + " \u00B7 " + run.device;
}

mustache::data side_data(const std::string& name, const LectureSummary& run, const std::string& page) {
  mustache::data side;
  side.set("side_name", name);
  side.set("side", with_pictures(side_name(run)));
  side.set("side_page", page);
  return side;
}

}  // namespace

bool is_of_other_program(const LectureSummary& first, const LectureSummary& run) {
  return !first.sources.empty() && !run.sources.empty() &&
         std::ranges::none_of(run.sources,
                              [&](const auto& source) { return first.sources.contains(source.first); });
}

std::string beside_path(const Website& site, const LectureSummary& run) {
  const LectureSummary* const first = find_first_run(site, run.name);
  if (first == nullptr) return {};
  const bool other = run.beneath && is_of_other_program(*first, run);
  const LectureSummary* const beside = other ? &run : find_other_program(site, *first);
  if (beside == nullptr) return {};
  return (fs::path(lecture_path(*beside)).parent_path() / kBesidePage).generic_string();
}

std::string beside_html(const fs::path& templates, const Website& site, const LectureSummary& first,
                        const LectureSummary& run) {
  mustache::data data = frame_data(templates, site,
                                   {.path = beside_path(site, run),
                                    .name = first.title,
                                    .description = first.title + ", in two languages side by side.",
                                    .lang = language_of(site, first),
                                    .lecture = &run});
  data.set("policy", std::string(kContentSecurityPolicy) + "; frame-src 'self'");
  set_profiles(data, site, run, true);
  mustache::data sides{mustache::data::type::list};
  sides << side_data("first", first, "../index.html");
  sides << side_data("other", run, "index.html");
  data.set("sides", sides);
  return with_references(fill(templates / "beside.mustache", data));
}

std::string beside_data(const Trace& first, const Trace& other, const SiteSettings& settings,
                        std::vector<std::string>& problems) {
  static const std::vector<SiteSettings::FunctionPair> none;
  const auto said = settings.beside.find(first.lecture);
  const FunctionCounterparts functions = function_counterparts(
      first, other, said == settings.beside.end() ? none : said->second.functions, problems);
  const Counterparts steps = step_counterparts(first, other, functions);
  return script_call("lecternBeside", {number_column(steps.of_first), number_column(steps.of_other)});
}

std::vector<std::string> misplaced_counterparts(const Website& site) {
  std::vector<std::string> names, problems;
  for (const LectureSummary& lecture : site.map.lectures) names.push_back(lecture.name);
  for (const auto& [name, said] : site.settings.beside) {
    const LectureSummary* const lecture = find_first_run(site, name);
    if (lecture == nullptr) {
      const std::string near = nearest(name, names);
      problems.push_back(
          fmt::format("{}: there is no lecture `{}`; {}", to_string(said.place), name,
                      near.empty() ? "name one of the site's" : "did you mean `" + near + "`?"));
    } else if (find_other_program(site, *lecture) == nullptr) {
      problems.push_back(fmt::format(
          "{0}: nothing stands beside the lecture `{1}`; import its trace in the other language, to "
          "traces/python/{1}.json",
          to_string(said.place), name));
    }
  }
  return problems;
}

}  // namespace lectern
