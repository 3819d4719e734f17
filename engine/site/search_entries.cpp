#include "site/search_entries.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/characters.h"
#include "base/error.h"
#include "base/html.h"
#include "base/utf8.h"
#include "site/bibliography.h"
#include "site/html_tags.h"
#include "site/mentions.h"
#include "trace/statement_text.h"

namespace lectern {
namespace {

/// Of an entry's text, in bytes: nobody looks for more, and a site's entries are loaded at once.
constexpr std::size_t kMostText = 2000, kMostValue = 80;

/// On one line, each run of blanks as one.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!is_blank(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

bool says_something(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return is_word(c) || (c & 0x80) != 0; });
}

/// What of HTML is no text to be found in; headings are found by themselves.
constexpr std::array<std::string_view, 9> kSkippedTags{"summary", "svg", "button", "h1", "h2",
                                                       "h3",      "h4",  "h5",     "h6"};
constexpr std::array<std::string_view, 5> kSkippedClasses{"katex", "note", "card", "calculator", "at"};

/// What is folded away is data, but for these.
constexpr std::array<std::string_view, 2> kFoldedText{"answer", "transcript"};

/// What begins and ends a paragraph.
constexpr std::array<std::string_view, 10> kBlocks{"p",   "li",  "td",         "th",         "dt",
                                                   "div", "pre", "figcaption", "blockquote", "dd"};

template <std::size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <std::size_t kCount>
bool is_any_of(const HtmlTag& tag, const std::array<std::string_view, kCount>& classes) {
  return std::any_of(classes.begin(), classes.end(), [&](std::string_view name) { return tag.is_a(name); });
}

bool is_skipped(const HtmlTag& tag) {
  if (tag.name == "details") return !is_any_of(tag, kFoldedText);
  return is_one_of(kSkippedTags, tag.name) || is_any_of(tag, kSkippedClasses);
}

class Collector {
 public:
  Collector(const Trace& trace, const RenderedSteps& steps) : trace_(trace), steps_(steps) {}

  std::vector<SearchEntry> run() {
    for (const TracedFunction& function : trace_.functions)
      add({SearchKind::function, function.name, fmt::format("s{}-{}", function.source, function.span.line)},
          function.source);
    for (std::size_t i = 0; i < trace_.sites.size(); ++i) {
      if (!trace_.sites[i].hide) add_site(static_cast<int>(i), trace_.sites[i], steps_.sites[i]);
    }
    return std::move(entries_);
  }

 private:
  void add_site(int at_site, const Site& site, const FinalState& state) {
    const TracedFunction& function = trace_.functions[index(site.function)];
    const std::string at = line_anchor(trace_, at_site);
    const int source = function.source;
    for (const Heading& heading : state.headings) append({SearchKind::section, heading.text, heading.id});
    if (state.show >= 0 && !state.quiet) {
      for (const std::string& text : paragraphs_of(steps_.html[state.show]))
        add({SearchKind::prose, text, at}, source);
    }
    if (site.kind != SiteKind::hook)
      add({SearchKind::code, on_one_line(statement_text(trace_, site)), at}, source);
    for (const auto& [name, number] : state.vars) {
      const std::string_view value = utf8_prefix(steps_.values[index(number)].text, kMostValue);
      add({SearchKind::variable, name, at, function.name, std::string(value)}, source);
    }
  }

  /// Once of each source, a variable once of each function.
  void add(SearchEntry entry, int source) {
    if (seen_.emplace(entry.kind, source, entry.function, entry.text).second) append(std::move(entry));
  }

  void append(SearchEntry entry) {
    entry.text.resize(utf8_prefix(entry.text, kMostText).size());
    if (says_something(entry.text)) entries_.push_back(std::move(entry));
  }

  const Trace& trace_;
  const RenderedSteps& steps_;
  std::vector<SearchEntry> entries_;
  std::set<std::tuple<SearchKind, int, std::string, std::string>> seen_;
};

}  // namespace

std::vector<SearchEntry> search_entries(const Trace& trace, const RenderedSteps& steps) {
  return Collector(trace, steps).run();
}

std::vector<SearchEntry> work_entries(const std::vector<CitedWork>& works) {
  std::vector<SearchEntry> entries;
  for (const CitedWork& cited : works) {
    if (!cited.anchors.empty())
      entries.push_back({SearchKind::prose, html_to_text(work_html(cited.work)), cited.anchors.front()});
  }
  return entries;
}

std::vector<std::string> paragraphs_of(std::string_view html) {
  std::vector<std::string> paragraphs;
  std::string text;
  const auto end_paragraph = [&] {
    std::string paragraph = on_one_line(html_to_text(text));
    text.clear();
    if (says_something(paragraph)) paragraphs.push_back(std::move(paragraph));
  };
  std::size_t at = 0;
  for (auto tag = next_tag_of_any_kind(html, 0); tag; tag = next_tag_of_any_kind(html, at)) {
    text += html.substr(at, tag->begin - at);
    if (is_one_of(kBlocks, tag->name)) end_paragraph();
    at = !tag->is_end() && is_skipped(*tag) ? element_end(html, *tag) : tag->end;
  }
  text += html.substr(at);
  end_paragraph();
  return paragraphs;
}

std::string opening_paragraph(const Trace& trace, const RenderedSteps& steps) {
  constexpr std::size_t kMostOpening = 200;
  for (const auto& [step, html] : steps.show) {
    if (trace.sites[index(trace.steps[index(step)].site)].hide) continue;
    const std::vector<std::string> paragraphs = paragraphs_of(steps.html[html]);
    if (paragraphs.empty()) continue;
    std::string text = paragraphs.front();
    if (text.size() <= kMostOpening) return text;
    text.resize(utf8_prefix(text, kMostOpening).size());
    return text.substr(0, text.rfind(' ')) + "\u2026";
  }
  return {};
}

std::string to_json(const std::vector<SearchEntry>& entries) {
  nlohmann::json list = nlohmann::json::array();
  for (const SearchEntry& entry : entries) {
    list.push_back({static_cast<int>(entry.kind), entry.text, entry.anchor});
    if (entry.kind != SearchKind::variable) continue;
    list.back().push_back(entry.function);
    list.back().push_back(entry.value);
  }
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<SearchEntry> search_entries_from_json(std::string_view text, const std::string& file) {
  try {
    std::vector<SearchEntry> entries;
    for (const nlohmann::json& each : nlohmann::json::parse(text)) {
      const auto text_at = [&](std::size_t i) { return each.at(i).get<std::string>(); };
      SearchEntry entry{static_cast<SearchKind>(each.at(0).get<std::uint8_t>()), text_at(1), text_at(2)};
      if (each.size() > 3) {
        entry.function = text_at(3);
        entry.value = text_at(4);
      }
      entries.push_back(std::move(entry));
    }
    return entries;
  } catch (const nlohmann::json::exception&) {
    throw Error(Place{file}, "is not what can be found in a lecture; delete it and render the lecture again");
  }
}

}  // namespace lectern
