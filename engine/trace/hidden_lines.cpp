#include "trace/hidden_lines.h"

#include <algorithm>

namespace lectern {

std::vector<bool> hidden_lines(const SourceFile& source) {
  const auto count = static_cast<int>(source.lines.size());
  std::vector<int> begun(index(count) +
                         1);  // definitions that begin on a line, less those that end before it
  for (const auto& [first, last] : source.hidden) {
    if (first < 1 || first > std::min(last, count)) continue;
    ++begun[index(first - 1)];
    --begun[index(std::min(last, count))];
  }
  std::vector<bool> hidden(index(count));
  int open = 0;
  for (int line = 0; line < count; ++line) {
    open += begun[index(line)];
    hidden[index(line)] = open > 0;
  }
  return hidden;
}

}  // namespace lectern
