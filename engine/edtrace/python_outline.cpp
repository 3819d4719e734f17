#include "edtrace/python_outline.h"

#include <algorithm>

#include "base/characters.h"
#include "trace/tokens.h"

namespace lectern {
namespace {

/// A logical line: lines joined by brackets, backslashes and strings count as one.
struct LogicalLine {
  TextSpan span;
  std::string_view text;
};

/// Moves a line and column past this text.
void advance(int& line, int& column, std::string_view text) {
  for (const char c : text) {
    column = c == '\n' ? 1 : column + 1;
    line += c == '\n' ? 1 : 0;
  }
}

std::vector<LogicalLine> logical_lines(std::string_view source) {
  std::vector<LogicalLine> lines;
  int line = 1, column = 1, depth = 0;
  std::size_t begin = 0, at = 0;  // of the logical line; past the last token
  bool joined = false;
  for (const Token& token : tokens_and_comments(source, "python")) {
    if (token.kind == TokenKind::comment) continue;
    const std::size_t offset = offset_in(source, token.text);
    advance(line, column, source.substr(at, offset - at));
    at = offset + token.text.size();
    if (lines.empty() || (depth == 0 && !joined && line > lines.back().span.end_line)) {
      lines.push_back({{line, column, line, column}, {}});
      begin = offset;
    }
    advance(line, column, token.text);
    joined = token.text == "\\";
    if (joined) continue;
    if (std::string_view("([{").find(token.text) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(token.text) != std::string_view::npos) depth = std::max(0, depth - 1);
    lines.back().span.end_line = line;
    lines.back().span.end_column = column;
    lines.back().text = source.substr(begin, at - begin);
  }
  return lines;
}

/// Whether a logical line begins with this word, which is taken away.
bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word) || (text.size() > word.size() && is_word(text[word.size()]))) return false;
  text = trim(text.substr(word.size()));
  return true;
}

}  // namespace

PythonOutline::PythonOutline(std::string_view source) {
  const std::vector<LogicalLine> lines = logical_lines(source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    statements.push_back(lines[i].span);
    std::string_view name = lines[i].text;
    take_word(name, "async");
    if (!take_word(name, "def")) continue;
    std::size_t first = i, last = i;
    while (first > 0 && lines[first - 1].text.starts_with('@')) --first;
    while (last + 1 < lines.size() && lines[last + 1].span.column > lines[i].span.column) ++last;
    const TextSpan &begin = lines[first].span, &end = lines[last].span;
    functions.push_back({std::string(name.substr(0, name.find_first_of("( \t"))),
                         {begin.line, begin.column, end.end_line, end.end_column}});
  }
}

const TextSpan* PythonOutline::statement_at(int line) const {
  const auto found = std::ranges::lower_bound(statements, line, {}, &TextSpan::line);
  return found != statements.end() && found->line == line ? &*found : nullptr;
}

}  // namespace lectern
