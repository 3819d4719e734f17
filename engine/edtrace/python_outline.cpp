#include "edtrace/python_outline.h"

#include <algorithm>

#include "trace/tokens.h"

namespace lectern {
namespace {

/// The tokens of each logical line: lines joined by brackets, backslashes and strings count as one.
std::vector<std::vector<std::string_view>> logical_lines(std::string_view source) {
  std::vector<std::vector<std::string_view>> lines;
  std::size_t end = 0;  // of the last token
  int depth = 0;
  bool joined = false;
  for (const auto& [kind, text] : tokens_and_comments(source, "python")) {
    if (kind == TokenKind::comment) continue;
    const std::size_t begin = offset_in(source, text);
    const bool breaks = source.substr(end, begin - end).find('\n') != std::string_view::npos;
    end = begin + text.size();
    if (lines.empty() || (depth == 0 && !joined && breaks)) lines.emplace_back();
    joined = text == "\\";
    if (!joined || lines.back().empty()) lines.back().push_back(text);
    if (kind != TokenKind::punctuation) continue;
    for (const char c : text) {
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') depth = std::max(0, depth - 1);
    }
  }
  return lines;
}

}  // namespace

PythonOutline::PythonOutline(std::string_view source) {
  const auto lines = logical_lines(source);
  const char* at = source.data();
  int line = 1, column = 1;
  const auto advance = [&](const char* end) {
    for (; at < end; ++at) {
      column = *at == '\n' ? 1 : column + 1;
      line += *at == '\n' ? 1 : 0;
    }
  };
  for (const auto& tokens : lines) {
    advance(tokens.front().data());
    const int first_line = line, first_column = column;
    advance(tokens.back().data() + tokens.back().size());
    statements.push_back({first_line, first_column, line, column});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t def = lines[i].front() == "async" ? 1 : 0;
    if (lines[i].size() <= def || lines[i][def] != "def") continue;
    const std::string_view name = lines[i].size() > def + 1 ? lines[i][def + 1] : std::string_view();
    std::size_t first = i, last = i;
    while (first > 0 && lines[first - 1].front() == "@") --first;
    while (last + 1 < lines.size() && statements[last + 1].column > statements[i].column) ++last;
    functions.push_back({std::string(name),
                         0,
                         {statements[first].line, statements[first].column, statements[last].end_line,
                          statements[last].end_column}});
  }
}

const TextSpan* PythonOutline::statement_at(int line) const {
  const auto found = std::ranges::lower_bound(statements, line, {}, &TextSpan::line);
  return found != statements.end() && found->line == line ? &*found : nullptr;
}

}  // namespace lectern
