#include "edtrace/python_outline.h"

#include <algorithm>
#include <array>
#include <utility>

#include "trace/tokens.h"

namespace lectern {

/// A logical line: lines joined by brackets, backslashes and strings count as one.
struct PythonOutline::Line {
  TextSpan span;
  std::vector<std::string_view> words;  ///< its first three tokens

  bool begins(std::string_view word) const { return !words.empty() && words[0] == word; }
  std::string_view word(std::size_t at) const { return at < words.size() ? words[at] : std::string_view(); }
};

namespace {

SiteKind kind_of(std::string_view first) {
  constexpr std::array<std::pair<std::string_view, SiteKind>, 9> kKinds{{{"return", SiteKind::return_},
                                                                         {"raise", SiteKind::throw_},
                                                                         {"if", SiteKind::branch},
                                                                         {"elif", SiteKind::branch},
                                                                         {"match", SiteKind::branch},
                                                                         {"for", SiteKind::loop},
                                                                         {"while", SiteKind::loop},
                                                                         {"break", SiteKind::jump},
                                                                         {"continue", SiteKind::jump}}};
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& entry) { return entry.first == first; });
  return found == kKinds.end() ? SiteKind::statement : found->second;
}

}  // namespace

PythonOutline::PythonOutline(const std::vector<std::string>& lines) {
  std::string text;
  std::vector<std::size_t> begins;
  for (const std::string& line : lines) {
    begins.push_back(text.size());
    text.append(line).append("\n");
  }
  const auto place = [&begins](std::size_t byte) {
    const auto next = std::upper_bound(begins.begin(), begins.end(), byte);
    return std::pair(static_cast<int>(next - begins.begin()), static_cast<int>(byte - *(next - 1)) + 1);
  };
  std::vector<Line> logical;
  int depth = 0;
  bool joined = false;
  for (const Token& token : tokens_and_comments(text, "python")) {
    if (token.kind == TokenKind::comment) continue;
    const auto begin = static_cast<std::size_t>(token.text.data() - text.data());
    const auto [line, column] = place(begin);
    if (token.text == "\\") {
      joined = true;
      continue;
    }
    const bool same = !logical.empty() && (depth > 0 || joined || line == logical.back().span.end_line);
    if (!same) logical.push_back({{line, column, line, column}, {}});
    joined = false;
    if (logical.back().words.size() < 3) logical.back().words.push_back(token.text);
    if (token.kind == TokenKind::punctuation) {
      for (const char c : token.text) {
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') depth = std::max(0, depth - 1);
      }
    }
    const auto [end_line, end_column] = place(begin + token.text.size());
    logical.back().span.end_line = end_line;
    logical.back().span.end_column = end_column;
  }
  for (const Line& line : logical) statements_.push_back({line.span, kind_of(line.word(0))});
  add_functions(logical);
}

void PythonOutline::add_functions(const std::vector<Line>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const bool async = line.begins("async") && line.word(1) == "def";
    if (!async && !line.begins("def")) continue;
    std::size_t first = i, last = i;
    while (first > 0 && lines[first - 1].begins("@")) --first;
    while (last + 1 < lines.size() && lines[last + 1].span.column > line.span.column) ++last;
    functions_.push_back({std::string(line.word(async ? 2 : 1)),
                          {lines[first].span.line, lines[first].span.column, lines[last].span.end_line,
                           lines[last].span.end_column}});
  }
}

const PythonOutline::Statement* PythonOutline::statement_at(int line) const {
  const auto found =
      std::lower_bound(statements_.begin(), statements_.end(), line,
                       [](const Statement& statement, int number) { return statement.span.line < number; });
  return found != statements_.end() && found->span.line == line ? &*found : nullptr;
}

int PythonOutline::function_around(std::string_view name, int line) const {
  int around = -1;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const Function& function = functions_[i];
    if (function.name == name && function.span.line <= line && line <= function.span.end_line)
      around = static_cast<int>(i);
  }
  return around;
}

}  // namespace lectern
