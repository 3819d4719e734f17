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
constexpr std::array<std::string_view, 9> kSkippedTags{"details", "svg", "button", "h1", "h2",
                                                       "h3",      "h4",  "h5",     "h6"};
constexpr std::array<std::string_view, 4> kSkippedClasses{"katex", "note", "card", "calculator"};

/// What begins and ends a paragraph.
constexpr std::array<std::string_view, 10> kBlocks{"p",   "li",  "td",         "th",         "dt",
                                                   "div", "pre", "figcaption", "blockquote", "dd"};

template <std::size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view tag_name(std::string_view tag) {
  const std::size_t begin = tag.starts_with("</") ? 2 : 1;
  std::size_t end = begin;
  while (end < tag.size() && is_word(tag[end])) ++end;
  return tag.substr(begin, end - begin);
}

bool is_skipped(std::string_view tag) {
  if (is_one_of(kSkippedTags, tag_name(tag))) return true;
  constexpr std::string_view kClass = " class=\"";
  const std::size_t at = tag.find(kClass);
  if (at == tag.npos) return false;
  const std::string_view rest = tag.substr(at + kClass.size());
  const std::string classes = " " + std::string(rest.substr(0, rest.find('"'))) + " ";
  return std::any_of(kSkippedClasses.begin(), kSkippedClasses.end(), [&](std::string_view skipped) {
    return classes.find(fmt::format(" {} ", skipped)) != classes.npos;
  });
}

/// Where the element ends that begins at `at`, whose tag is `tag`.
std::size_t element_end(std::string_view html, std::size_t at, std::string_view tag) {
  const std::string open = fmt::format("<{}", tag_name(tag)), close = fmt::format("</{}", tag_name(tag));
  std::size_t depth = 0;
  for (std::size_t next = at; next != html.npos; next = html.find('<', next + 1)) {
    const std::string_view rest = html.substr(next);
    const auto is_tag = [&](std::string_view mark) {
      return rest.starts_with(mark) && (rest.size() == mark.size() || !is_word(rest[mark.size()]));
    };
    if (is_tag(open)) ++depth;
    if (is_tag(close) && --depth == 0) return std::min(html.size(), html.find('>', next)) + 1;
  }
  return html.size();
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
  for (std::size_t at = 0; at < html.size();) {
    const std::size_t tag_begin = std::min(html.find('<', at), html.size());
    text += html.substr(at, tag_begin - at);
    if (tag_begin == html.size()) break;
    const std::size_t tag_end = std::min(html.find('>', tag_begin), html.size() - 1) + 1;
    const std::string_view tag = html.substr(tag_begin, tag_end - tag_begin);
    at = tag_end;
    if (is_one_of(kBlocks, tag_name(tag))) end_paragraph();
    if (!tag.starts_with("</") && is_skipped(tag)) at = element_end(html, tag_begin, tag);
  }
  end_paragraph();
  return paragraphs;
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
