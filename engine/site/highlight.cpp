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

std::string_view to_string(HighlightClass kind) {
  constexpr std::array<std::string_view, 9> names{"keyword", "type",         "function", "number",  "string",
                                                  "comment", "preprocessor", "constant", "operator"};
  return names[static_cast<std::size_t>(kind)];
}

namespace {

using Query = std::unique_ptr<TSQuery, decltype(&ts_query_delete)>;

/// The patterns of a query file, one string each: the grammar may not support all of them.
std::vector<std::string_view> split_patterns(std::string_view queries) {
  std::vector<std::string_view> patterns;
  std::size_t begin = std::string_view::npos;
  int depth = 0;
  bool quoted = false, captured = false;
  const auto finish = [&](std::size_t end) {
    if (begin != std::string_view::npos && captured) {
      patterns.push_back(queries.substr(begin, end - begin));
      begin = std::string_view::npos;
      captured = false;
    }
  };
  for (std::size_t at = 0; at < queries.size(); ++at) {
    const char c = queries[at];
    if (c == ';' && !quoted) {
      finish(at);
      at = std::min(queries.find('\n', at), queries.size() - 1);
      continue;
    }
    if (depth == 0 && !quoted && (c == '(' || c == '[' || c == '"')) {
      finish(at);
      if (begin == std::string_view::npos) begin = at;
    }
    if (c == '"') quoted = !quoted;
    if (c == '\\' && quoted) ++at;
    if (quoted) continue;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    // A pattern whose captures are all inside its brackets ends where they close.
    if (c == '@') captured = true;
  }
  finish(queries.size());
  return patterns;
}

/// `and` and `not in` are operators to Python's grammar, keywords to its readers.
bool is_word(std::string_view node_kind) {
  return node_kind.front() >= 'a' && node_kind.front() <= 'z';
}

std::optional<HighlightClass> class_of(std::string_view capture, std::string_view node_kind) {
  if (node_kind.starts_with('#') || node_kind == "preproc_directive") return HighlightClass::preprocessor;
  if (node_kind == "system_lib_string") return HighlightClass::string;
  if (node_kind == "char_literal") return HighlightClass::string;
  if (capture == "keyword" || capture == "variable.builtin") return HighlightClass::keyword;
  if (capture == "type" || capture == "constructor") return HighlightClass::type;
  if (capture.starts_with("function")) return HighlightClass::function;
  if (capture == "number") return HighlightClass::number;
  if (capture == "string") return HighlightClass::string;
  if (capture == "comment") return HighlightClass::comment;
  if (capture.starts_with("constant")) return HighlightClass::constant;
  if (capture == "operator") return is_word(node_kind) ? HighlightClass::keyword : HighlightClass::operator_;
  return std::nullopt;
}

/// A condition on the text that a pattern captures.
struct Predicate {
  std::optional<std::uint32_t> capture;
  std::optional<std::regex> matches;
  std::optional<std::string> equals;

  bool holds(std::uint32_t of_capture, std::string_view text) const {
    if (of_capture != capture) return true;
    if (equals) return text == *equals;
    return !matches || std::regex_search(text.begin(), text.end(), *matches);
  }
};

/// Reads `(#match? @capture "regex")` and `(#eq? @capture "text")`.
Predicate read_predicate(const TSQuery* query, std::uint32_t pattern) {
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
  Predicate predicate{.capture = steps[1].value_id, .matches = {}, .equals = {}};
  const std::string name = text(steps[0].value_id);
  if (name == "match?") predicate.matches = std::regex(text(steps[2].value_id));
  if (name == "eq?") predicate.equals = text(steps[2].value_id);
  return predicate;
}

/// All patterns that this grammar supports, in order, as one query. Compiling is expensive, so all are tried
/// at once, and the one that is rejected is dropped.
Query compile_known(std::vector<std::string_view> patterns, std::string_view language) {
  while (true) {
    std::string text;
    std::vector<std::size_t> ends;
    for (const std::string_view pattern : patterns) {
      text.append(pattern).append("\n");
      ends.push_back(text.size());
    }
    std::uint32_t offset = 0;
    TSQueryError error = TSQueryErrorNone;
    Query query(ts_query_new(grammar(language), text.data(), static_cast<std::uint32_t>(text.size()), &offset,
                             &error),
                ts_query_delete);
    if (query != nullptr || patterns.empty()) return query;
    const auto unknown = std::upper_bound(ends.begin(), ends.end() - 1, offset) - ends.begin();
    patterns.erase(patterns.begin() + unknown);
  }
}

struct Patterns {
  Query query{nullptr, ts_query_delete};
  std::vector<Predicate> predicates;

  Patterns(std::string_view language, std::span<const std::string_view> query_files) {
    std::vector<std::string_view> all;
    for (const std::string_view queries : query_files) {
      for (const std::string_view pattern : split_patterns(queries)) all.push_back(pattern);
    }
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

const Patterns& patterns_of(std::string_view language) {
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
  const Patterns& patterns = patterns_of(language);
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
    const auto kind = class_of({name, length}, ts_node_type(capture.node));
    const std::uint32_t begin = ts_node_start_byte(capture.node), end = ts_node_end_byte(capture.node);
    const Predicate& predicate = patterns.predicates[match.pattern_index];
    if (kind && predicate.holds(capture.index, source.substr(begin, end - begin))) {
      found.push_back({match.pattern_index, begin, end, *kind});
    }
  }
  return found;
}

/// Paints the classes over each other, pattern by pattern, so that later patterns win, then collects the
/// ranges.
std::vector<Highlight> highlight_parsed(std::string_view source, std::string_view language) {
  std::vector<Capture> found = captures(source, language);
  std::stable_sort(found.begin(), found.end(),
                   [](const Capture& a, const Capture& b) { return a.pattern < b.pattern; });
  constexpr std::uint8_t plain = 0xFF;
  std::vector<std::uint8_t> paint(source.size(), plain);
  for (const Capture& capture : found) {
    std::fill(paint.begin() + capture.begin, paint.begin() + capture.end,
              static_cast<std::uint8_t>(capture.kind));
  }
  std::vector<Highlight> highlights;
  for (std::size_t begin = 0, end = 0; begin < paint.size(); begin = end) {
    end = begin + 1;
    while (end < paint.size() && paint[end] == paint[begin]) ++end;
    if (paint[begin] == plain) continue;
    highlights.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                          static_cast<HighlightClass>(paint[begin])});
  }
  return highlights;
}

}  // namespace

std::vector<Highlight> highlight(std::string_view source, std::string_view language) {
  constexpr std::array<std::string_view, 4> known{"cpp", "cuda", "c", "python"};
  if (std::find(known.begin(), known.end(), language) == known.end()) return {};
  return highlight_parsed(source, language);
}

}  // namespace lectern
