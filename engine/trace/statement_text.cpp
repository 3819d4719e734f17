#include "trace/statement_text.h"

#include <algorithm>

#include "base/characters.h"

namespace lectern {

std::string statement_text(const Trace& trace, const Site& site) {
  const SourceLines& lines = trace.sources[index(trace.functions[index(site.function)].source)].lines;
  const TextSpan& span = site.span;
  std::string text;
  for (int at = span.line; at >= 1 && at <= span.end_line && index(at) <= lines.size(); ++at) {
    std::string_view line = lines[index(at - 1)];
    if (at == span.end_line) line = line.substr(0, index(std::max(span.end_column - 1, 0)));
    if (at == span.line) line.remove_prefix(std::min(line.size(), index(std::max(span.column - 1, 0))));
    line = trim(line.substr(0, line.find("// @")));
    if (!line.empty()) text.append(text.empty() ? "" : " ").append(line);
    if (line.ends_with('{')) break;
  }
  return text;
}

}  // namespace lectern
