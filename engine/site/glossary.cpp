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
#include "site/profiles.h"

namespace lectern {
namespace {

struct GlossaryTerm {
  std::string name, definition;          ///< as where it is defined first
  const MentionedTerm* first = nullptr;  ///< mention of it
  MentionPlaces defined, used;           ///< of each lecture the first place
};
/// By slug.
using Glossary = std::map<std::string, GlossaryTerm>;

Glossary glossary_of(const Website& site) {
  Glossary glossary;
  for (const LectureSummary* run : runs_of(site)) {
    for (const MentionedTerm& term : run->terms) {
      GlossaryTerm& known = glossary[file_slug(term.name)];
      const bool defines = !term.definition.empty();
      if (known.first == nullptr) known.first = &term;
      if (known.name.empty() || (defines && known.definition.empty())) known.name = term.name;
      if (known.definition.empty()) known.definition = term.definition;
      MentionPlaces& places = defines ? known.defined : known.used;
      if (places.empty() || places.back().first != run) add_place(places, *run, term.anchor);
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

/// What stands in the place of a definition. A lecture alone, in a single file say, tells nothing of others.
std::string no_definition(const Website& site) {
  return site.map.lectures.size() > 1 ? "No lecture defines it." : "It is not defined here.";
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
  data.set("no_definition", no_definition(site));
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
  data.set("no_definition", no_definition(site));
  data.set("math", math);
  return fill(templates / "glossary.mustache", data);
}

bool has_terms(const Website& site) {
  return std::ranges::any_of(runs_of(site), [](const LectureSummary* run) { return !run->terms.empty(); });
}

std::vector<std::string> conflicting_definitions(const Website& site) {
  std::map<std::string, const MentionedTerm*> definitions;  // by slug
  std::vector<std::string> conflicts;
  for (const LectureSummary& lecture : site.map.lectures) {
    for (const MentionedTerm& term : lecture.terms) {
      if (term.definition.empty()) continue;
      const auto [known, is_first] = definitions.try_emplace(file_slug(term.name), &term);
      if (is_first || known->second->definition == term.definition) continue;
      conflicts.push_back(
          fmt::format("{}: term: \"{}\" has another definition at {}; keep one of them, and write "
                      "term(\"{}\") in the other place",
                      term.place, term.name, known->second->place, term.name));
    }
  }
  return conflicts;
}

std::vector<std::string> undefined_terms(const Website& site) {
  std::vector<std::string> problems;
  for (const auto& [slug, term] : glossary_of(site)) {
    if (!term.definition.empty()) continue;
    problems.push_back(
        fmt::format("{}: no lecture defines the term \"{}\"; define it where it is introduced: "
                    "term(\"{}\", \"…\")",
                    term.first->place, term.name, term.name));
  }
  return problems;
}

}  // namespace lectern
