#include "site/highlight.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <regex>
#include <span>
#include <string>

#include "instrument/grammar.h"
#include "site/highlight_queries.h"

namespace lectern {

namespace {

using Query = std::unique_ptr<TSQuery, decltype(&ts_query_delete)>;

/// `and` and `not in` are operators in Python's grammar and are highlighted as keywords.
bool is_word_operator(std::string_view node_kind) {
  return node_kind.front() >= 'a' && node_kind.front() <= 'z';
}

std::optional<HighlightClass> highlight_class(std::string_view capture, std::string_view node_kind) {
  if (node_kind.starts_with('#') || node_kind == "preproc_directive") return HighlightClass::preprocessor;
  if (node_kind == "system_lib_string" || node_kind == "char_literal") return HighlightClass::string;
  if (capture == "keyword" || capture == "variable.builtin") return HighlightClass::keyword;
  if (capture == "type" || capture == "constructor") return HighlightClass::type;
  if (capture.starts_with("function")) return HighlightClass::function;
  if (capture == "number") return HighlightClass::number;
  if (capture == "string") return HighlightClass::string;
  if (capture == "comment") return HighlightClass::comment;
  if (capture.starts_with("constant")) return HighlightClass::constant;
  if (capture == "operator")
    return is_word_operator(node_kind) ? HighlightClass::keyword : HighlightClass::operator_;
  return std::nullopt;
}

/// `(#match? @capture "regex")`: the pattern matches only where the captured text does.
struct Predicate {
  std::uint32_t capture;
  std::regex regex;
};

/// The predicate of a pattern, if it has one.
std::optional<Predicate> read_predicate(const TSQuery* query, std::uint32_t pattern) {
  std::uint32_t count = 0;
  const TSQueryPredicateStep* steps = ts_query_predicates_for_pattern(query, pattern, &count);
  if (count < 3 || steps[0].type != TSQueryPredicateStepTypeString ||
      steps[1].type != TSQueryPredicateStepTypeCapture || steps[2].type != TSQueryPredicateStepTypeString) {
    return {};
  }
  const auto text = [&](std::uint32_t id) {
    std::uint32_t length = 0;
    const char* value = ts_query_string_value_for_id(query, id, &length);
    return std::string(value, length);
  };
  if (text(steps[0].value_id) != "match?") return {};
  return Predicate{steps[1].value_id, std::regex(text(steps[2].value_id))};
}

/// A query of the patterns that the grammar knows, in order: unknown ones are removed, one in each round. A
/// pattern begins with a bracket or quotation mark at the beginning of a line.
Query compile_known(std::string patterns, std::string_view language) {
  const auto begins = [&](std::size_t at) {
    return (at == 0 || patterns[at - 1] == '\n') && std::string_view("([\"").find(patterns[at]) < 3;
  };
  while (true) {
    std::uint32_t offset = 0;
    TSQueryError error = TSQueryErrorNone;
    Query query(ts_query_new(grammar(language), patterns.data(), static_cast<std::uint32_t>(patterns.size()),
                             &offset, &error),
                ts_query_delete);
    if (query != nullptr || patterns.empty()) return query;
    std::size_t begin = std::min<std::size_t>(offset, patterns.size() - 1), end = begin + 1;
    while (begin > 0 && !begins(begin)) --begin;
    while (end < patterns.size() && !begins(end)) ++end;
    patterns.erase(begin, end - begin);
  }
}

struct Patterns {
  Query query{nullptr, ts_query_delete};
  std::vector<std::optional<Predicate>> predicates;  ///< by pattern

  Patterns(std::string_view language, std::span<const std::string_view> query_files) {
    std::string all;
    for (const std::string_view queries : query_files) all.append(queries).append("\n");
    query = compile_known(std::move(all), language);
    for (std::uint32_t pattern = 0; pattern < ts_query_pattern_count(query.get()); ++pattern) {
      predicates.push_back(read_predicate(query.get(), pattern));
    }
  }
};

struct Capture {
  std::uint32_t pattern, begin, end;
  HighlightClass kind;
};

const Patterns& compiled_patterns(std::string_view language) {
  if (language == "python") {
    static const Patterns python("python", python_highlight_queries);
    return python;
  }
  if (language == "cuda") {
    static const Patterns cuda("cuda", cpp_highlight_queries);
    return cuda;
  }
  static const Patterns cpp("cpp", cpp_highlight_queries);
  return cpp;
}

std::vector<Capture> captures(std::string_view source, std::string_view language) {
  const Patterns& patterns = compiled_patterns(language);
  const TreeHandle tree = parse(source, language);
  const std::unique_ptr<TSQueryCursor, decltype(&ts_query_cursor_delete)> cursor(ts_query_cursor_new(),
                                                                                 ts_query_cursor_delete);
  ts_query_cursor_exec(cursor.get(), patterns.query.get(), ts_tree_root_node(tree.get()));
  std::vector<Capture> found;
  TSQueryMatch match;
  std::uint32_t index = 0;
  while (ts_query_cursor_next_capture(cursor.get(), &match, &index)) {
    const TSQueryCapture& capture = match.captures[index];
    std::uint32_t length = 0;
    const char* name = ts_query_capture_name_for_id(patterns.query.get(), capture.index, &length);
    const auto kind = highlight_class({name, length}, ts_node_type(capture.node));
    const std::uint32_t begin = ts_node_start_byte(capture.node), end = ts_node_end_byte(capture.node);
    const std::optional<Predicate>& predicate = patterns.predicates[match.pattern_index];
    const bool holds = !predicate || predicate->capture != capture.index ||
                       std::regex_search(source.begin() + begin, source.begin() + end, predicate->regex);
    if (kind && holds) found.push_back({match.pattern_index, begin, end, *kind});
  }
  return found;
}

}  // namespace

std::vector<Highlight> highlight(std::string_view source, std::string_view language) {
  constexpr std::array<std::string_view, 4> known{"cpp", "cuda", "c", "python"};
  if (std::ranges::count(known, language) == 0) return {};
  // Later patterns override earlier ones.
  std::vector<Capture> found = captures(source, language);
  std::ranges::stable_sort(found, {}, &Capture::pattern);
  constexpr std::uint8_t plain = 0xFF;
  std::vector<std::uint8_t> classes(source.size(), plain);
  for (const Capture& capture : found) {
    std::fill(classes.begin() + capture.begin, classes.begin() + capture.end,
              static_cast<std::uint8_t>(capture.kind));
  }
  std::vector<Highlight> highlights;
  for (std::size_t begin = 0, end = 0; begin < classes.size(); begin = end) {
    end = begin + 1;
    while (end < classes.size() && classes[end] == classes[begin]) ++end;
    if (classes[begin] == plain) continue;
    highlights.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                          static_cast<HighlightClass>(classes[begin])});
  }
  return highlights;
}

}  // namespace lectern
