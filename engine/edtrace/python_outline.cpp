#include "edtrace/python_outline.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "trace/tokens.h"

namespace lectern {
namespace {

/// A logical line: lines joined by brackets, backslashes and strings count as one.
struct LogicalLine {
  TextSpan span;
  std::array<std::string_view, 3> words = {};  ///< its first tokens

  bool begins(std::string_view word) const { return words[0] == word; }
};

SiteKind kind_of(std::string_view first_word) {
  constexpr std::array<std::pair<std::string_view, SiteKind>, 9> kKinds{{{"return", SiteKind::return_},
                                                                         {"raise", SiteKind::throw_},
                                                                         {"if", SiteKind::branch},
                                                                         {"elif", SiteKind::branch},
                                                                         {"match", SiteKind::branch},
                                                                         {"for", SiteKind::loop},
                                                                         {"while", SiteKind::loop},
                                                                         {"break", SiteKind::jump},
                                                                         {"continue", SiteKind::jump}}};
  for (const auto& [word, kind] : kKinds) {
    if (word == first_word) return kind;
  }
  return SiteKind::statement;
}

std::vector<LogicalLine> logical_lines(std::string_view source) {
  std::vector<LogicalLine> lines;
  std::size_t at = 0, begin_of_line = 0;
  int current = 1, depth = 0;
  const auto place = [&](std::size_t offset) {  // its line and column; offsets ascend
    for (; at < offset; ++at) {
      if (source[at] != '\n') continue;
      begin_of_line = at + 1;
      ++current;
    }
    return std::pair(current, static_cast<int>(offset - begin_of_line) + 1);
  };
  bool joined = false;
  std::size_t words = 0;
  for (const Token& token : tokens_and_comments(source, "python")) {
    if (token.kind == TokenKind::comment) continue;
    if (token.text == "\\") {
      joined = true;
      continue;
    }
    const std::size_t offset = offset_in(source, token.text);
    const auto [line, column] = place(offset);
    const bool same = !lines.empty() && (depth > 0 || joined || line == lines.back().span.end_line);
    if (!same) {
      lines.push_back({{line, column, line, column}});
      words = 0;
    }
    joined = false;
    if (words < lines.back().words.size()) lines.back().words[words++] = token.text;
    if (token.kind == TokenKind::punctuation) {
      for (const char c : token.text) {
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') depth = std::max(0, depth - 1);
      }
    }
    std::tie(lines.back().span.end_line, lines.back().span.end_column) = place(offset + token.text.size());
  }
  return lines;
}

}  // namespace

PythonOutline::PythonOutline(std::string_view source) {
  const std::vector<LogicalLine> lines = logical_lines(source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const LogicalLine& line = lines[i];
    statements.push_back({line.span, kind_of(line.words[0])});
    const bool async = line.begins("async") && line.words[1] == "def";
    if (!async && !line.begins("def")) continue;
    std::size_t first = i, last = i;
    while (first > 0 && lines[first - 1].begins("@")) --first;
    while (last + 1 < lines.size() && lines[last + 1].span.column > line.span.column) ++last;
    const TextSpan &begin = lines[first].span, &end = lines[last].span;
    functions.push_back(
        {std::string(line.words[async ? 2 : 1]), {begin.line, begin.column, end.end_line, end.end_column}});
  }
}

const PythonOutline::Statement* PythonOutline::statement_at(int line) const {
  const auto found = std::ranges::lower_bound(statements, line, {},
                                              [](const Statement& statement) { return statement.span.line; });
  return found != statements.end() && found->span.line == line ? &*found : nullptr;
}

}  // namespace lectern
