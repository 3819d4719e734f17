#include "site/templates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/files.h"
#include "base/html.h"
#include "site/ascii.h"
#include "site/mustache.h"

namespace lectern {
namespace {

/// What the home page and the lecture's own page say of a lecture.
void set_summary(mustache::data& data, const LectureSummary& summary) {
  set_text(data, "title", summary.title);
  set_text(data, "course", summary.course);
  set_text(data, "description", summary.description);
  set_text(data, "claims", claims_text(summary));
  data.set("failed", summary.claims_failed > 0);
}

}  // namespace

void set_text(mustache::data& data, const std::string& name, const std::string& text) {
  if (!text.empty()) data.set(name, with_pictures(text));
}

std::string fill(const std::filesystem::path& file, const mustache::data& data) {
  mustache::mustache page(read_file(file));
  if (!page.is_valid())
    throw Error(Place{file.string()}, "is not a Mustache template: " + page.error_message());
  return page.render(data);
}

std::string lecture_html(const std::filesystem::path& templates, const LectureSummary& summary,
                         const std::vector<Heading>& outline, const std::string& body, int cost_columns,
                         bool for_students) {
  mustache::data data;
  const bool calculators = body.find("<div class=\"calculator\"") != std::string::npos;
  data.set("lang", "en");
  std::string policy = kContentSecurityPolicy;
  if (calculators) {  // they are compiled from the page's own scripts
    constexpr std::string_view kScripts = "script-src 'self'";
    policy.insert(policy.find(kScripts) + kScripts.size(), " 'wasm-unsafe-eval'");
  }
  data.set("policy", policy);
  data.set("calculators", calculators);
  set_summary(data, summary);
  set_text(data, "author_list", fmt::format("{}", fmt::join(summary.authors, ", ")));
  data.set("last_step", std::to_string(summary.steps == 0 ? 0 : summary.steps - 1));
  if (const std::size_t math = body.find("class=\"katex"); math != std::string::npos)
    data.set("math", mustache::data("place", math < body.find("<div class=\"block\">") ? "near" : "far"));
  data.set("students", for_students);
  if (cost_columns > 0) data.set("costs", std::to_string(cost_columns));
  mustache::data list{mustache::data::type::list};
  for (const Heading& heading : outline) {
    mustache::data entry;
    entry.set("level", std::to_string(heading.level));
    entry.set("id", heading.id);
    set_text(entry, "text", heading.text);
    list << entry;
  }
  data.set("has_outline", !outline.empty());
  data.set("outline", list);
  data.set("body", body);
  return with_references(fill(templates / "lecture.mustache", data));
}

std::string speaker_html(const std::filesystem::path& templates) {
  mustache::data data;
  data.set("policy", kContentSecurityPolicy);
  return fill(templates / "speaker.mustache", data);
}

std::string home_html(const std::filesystem::path& templates, const HomePage& home) {
  mustache::data data;
  data.set("policy", kContentSecurityPolicy);
  mustache::data list{mustache::data::type::list};
  for (const LectureSummary& summary : home.lectures) {
    mustache::data entry;
    entry.set("href", summary.name + "/index.html");
    set_summary(entry, summary);
    set_text(entry, "meta", facts_text(summary));
    set_text(entry, "ended", summary.ended);
    mustache::data tags{mustache::data::type::list};
    for (const std::string& tag : summary.tags) tags << mustache::data("tag", with_pictures(tag));
    entry.set("tags", tags);
    list << entry;
  }
  data.set("lectures", list);
  set_text(data, "profile", home.profile);
  mustache::data profiles{mustache::data::type::list};
  for (const std::string& profile : home.profiles) profiles << mustache::data("name", profile);
  data.set("profiles", profiles);
  return fill(templates / "home.mustache", data);
}

}  // namespace lectern
