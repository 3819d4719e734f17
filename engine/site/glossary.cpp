#include "site/glossary.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "site/frame.h"
#include "site/mentions.h"
#include "site/page_terms.h"

namespace lectern {
namespace {

struct GlossaryTerm {
  std::string name, definition;  ///< as where it is defined first
  MentionPlaces defined, used;   ///< of each lecture the first place
};
/// By slug.
using Glossary = std::map<std::string, GlossaryTerm>;

Glossary glossary_of(const Website& site) {
  Glossary glossary;
  for (const LectureSummary& lecture : site.map.lectures) {
    for (const MentionedTerm& term : lecture.terms) {
      GlossaryTerm& known = glossary[file_slug(term.name)];
      const bool defines = !term.definition.empty();
      if (known.name.empty() || (defines && known.definition.empty())) known.name = term.name;
      if (known.definition.empty()) known.definition = term.definition;
      MentionPlaces& places = defines ? known.defined : known.used;
      if (places.empty() || places.back().first != &lecture) places.emplace_back(&lecture, term.anchor);
    }
  }
  return glossary;
}

mustache::data term_data(const std::string& slug, const GlossaryTerm& term) {
  mustache::data data;
  data.set("term_id", term_id(slug));
  data.set("term", with_pictures(term.name));
  data.set("definition", term.definition.empty() ? mustache::data(false) : mustache::data(term.definition));
  data.set("defined", places_data(term.defined));
  data.set("is_defined", !term.defined.empty());
  data.set("used", places_data(term.used));
  data.set("is_used", !term.used.empty());
  return data;
}

}  // namespace

void set_terms(mustache::data& data, const Website& site, const LectureSummary& lecture) {
  std::set<std::string> wanted;
  for (const MentionedTerm& term : lecture.terms) wanted.insert(file_slug(term.name));
  mustache::data list{mustache::data::type::list};
  for (const auto& [slug, term] : glossary_of(site)) {
    if (wanted.contains(slug)) list << term_data(slug, term);
  }
  data.set("terms", list);
}

std::string glossary_html(const std::filesystem::path& templates, const Website& site) {
  const Glossary glossary = glossary_of(site);
  if (glossary.empty()) return {};
  mustache::data data = frame_data(
      templates, site,
      {.path = "glossary.html", .name = "Glossary", .description = "The terms that the lectures define."});
  data.set("size", counted(glossary.size(), "term", "terms"));
  mustache::data list{mustache::data::type::list};
  bool math = false;
  for (const auto& [slug, term] : glossary) {
    list << term_data(slug, term);
    math |= term.definition.find("class=\"katex") != std::string::npos;
  }
  data.set("terms", list);
  data.set("math", math);
  return fill(templates / "glossary.mustache", data);
}

bool has_terms(const Website& site) {
  return std::ranges::any_of(site.map.lectures,
                             [](const LectureSummary& lecture) { return !lecture.terms.empty(); });
}

std::vector<std::string> conflicting_definitions(const Website& site, const LectureSummary& lecture) {
  std::map<std::string, std::vector<const MentionedTerm*>> others;  // definitions, by slug
  const auto add = [&others](const MentionedTerm& term) {
    if (!term.definition.empty()) others[file_slug(term.name)].push_back(&term);
  };
  for (const LectureSummary& other : site.map.lectures) {
    if (other.name != lecture.name) std::ranges::for_each(other.terms, add);
  }
  std::vector<std::string> conflicts;
  for (const MentionedTerm& term : lecture.terms) {
    if (term.definition.empty()) continue;
    const auto& known = others[file_slug(term.name)];
    const auto differs = std::ranges::find_if(
        known, [&](const MentionedTerm* other) { return other->definition != term.definition; });
    if (differs != known.end()) {
      conflicts.push_back(
          fmt::format("{}: term: \"{}\" has another definition at {}; keep one of them, and write "
                      "term(\"{}\") in the other place",
                      term.place, term.name, (*differs)->place, term.name));
    }
    add(term);
  }
  return conflicts;
}

std::vector<std::string> undefined_terms(const Website& site) {
  std::vector<std::string> warnings;
  for (const auto& [slug, term] : glossary_of(site)) {
    if (!term.definition.empty()) continue;
    for (const LectureSummary& lecture : site.map.lectures) {
      const auto used = std::ranges::find_if(lecture.terms, [&wanted = slug](const MentionedTerm& each) {
        return file_slug(each.name) == wanted;
      });
      if (used == lecture.terms.end()) continue;
      warnings.push_back(
          fmt::format("{}: warning: no lecture defines the term \"{}\"; define it where it is "
                      "introduced: term(\"{}\", \"…\")",
                      used->place, used->name, used->name));
    }
  }
  return warnings;
}

}  // namespace lectern
