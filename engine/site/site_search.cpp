#include "site/site_search.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/characters.h"
#include "base/files.h"
#include "base/html.h"
#include "base/path_url.h"
#include "base/readable_numbers.h"
#include "site/frame.h"
#include "site/mustache.h"
#include "site/zstandard.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// Where a symbol is: in which lecture, and of a variable in which function.
struct SymbolPlace {
  std::string address, lecture, function;
};

/// By letter, in small letters, and as written.
using SymbolKey = std::tuple<std::string, std::string, std::string>;
using Symbols = std::map<SymbolKey, std::vector<SymbolPlace>>;

/// After the letters.
constexpr const char* kNoLetter = "~";

SymbolKey symbol_key(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), to_lower);
  const bool has_letter = !lower.empty() && lower.front() >= 'a' && lower.front() <= 'z';
  return {has_letter ? lower.substr(0, 1) : kNoLetter, lower, name};
}

Symbols symbols_of(const std::vector<SearchedLecture>& lectures) {
  Symbols symbols;
  for (const SearchedLecture& lecture : lectures) {
    for (const SearchEntry& entry : lecture.entries) {
      const bool is_function = entry.kind == SearchKind::function;
      if (!is_function && entry.kind != SearchKind::variable) continue;
      if (entry.text.find("(lambda)") != entry.text.npos) continue;  // nobody's name
      const std::string name = entry.text + (is_function ? "()" : "");
      const std::string address = fmt::format("{}/index.html#{}", path_url(lecture.name), entry.anchor);
      symbols[symbol_key(name)].push_back({address, lecture.title, entry.function});
    }
  }
  return symbols;
}

mustache::data places_data(const std::vector<SymbolPlace>& places) {
  mustache::data list{mustache::data::type::list};
  for (const SymbolPlace& place : places) {
    mustache::data entry;
    entry.set("place_href", place.address);
    entry.set("lecture", with_pictures(place.lecture));
    set_text(entry, "function", place.function);
    list << entry;
  }
  return list;
}

}  // namespace

std::vector<SearchedLecture> searched_lectures(const Website& site, const fs::path& folder) {
  std::vector<SearchedLecture> lectures;
  for (const LectureSummary& summary : site.map.lectures) {
    const fs::path file = folder / summary.name / kSearchFile;
    SearchedLecture& lecture = lectures.emplace_back(SearchedLecture{summary.name, summary.title, {}});
    if (fs::exists(file)) lecture.entries = search_entries_from_json(read_file(file), file.string());
  }
  return lectures;
}

std::string searched_json(const std::vector<SearchedLecture>& lectures) {
  std::string json = "[";
  for (const SearchedLecture& lecture : lectures) {
    const nlohmann::json head = {lecture.name, lecture.title};
    if (json.size() > 1) json += ",";
    json += fmt::format("[{},{}]", head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                        to_json(lecture.entries));
  }
  return json + "]";
}

std::string search_script(const std::vector<SearchedLecture>& lectures) {
  return fmt::format("lecternSearch(\"{}\");\n", base64(zstandard(searched_json(lectures), Effort::some)));
}

std::string symbols_html(const fs::path& templates, const Website& site,
                         const std::vector<SearchedLecture>& lectures) {
  const Symbols symbols = symbols_of(lectures);
  mustache::data data = frame_data(templates, site,
                                   {.path = "symbols.html",
                                    .name = "Symbols",
                                    .description = "The functions and variables of all lectures."});
  data.set("size", counted(symbols.size(), "name", "names"));
  mustache::data sections{mustache::data::type::list};
  for (auto symbol = symbols.begin(); symbol != symbols.end();) {
    const std::string letter = std::get<0>(symbol->first);
    mustache::data section, list{mustache::data::type::list};
    for (; symbol != symbols.end() && std::get<0>(symbol->first) == letter; ++symbol) {
      mustache::data entry;
      entry.set("symbol", with_pictures(std::get<2>(symbol->first)));
      entry.set("places", places_data(symbol->second));
      list << entry;
    }
    section.set("letter", letter == kNoLetter ? "Others" : letter);
    section.set("symbols", list);
    sections << section;
  }
  data.set("sections", sections);
  return fill(templates / "symbols.mustache", data);
}

}  // namespace lectern
