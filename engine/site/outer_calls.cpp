#include "site/outer_calls.h"

#include <algorithm>
#include <set>

namespace lectern {

std::vector<OuterStatement> outer_statements(const Trace& trace, int source) {
  if (trace.steps.empty()) return {};
  int root = trace.steps[0].stack;
  while (trace.stacks[index(root)].parent >= 0) root = trace.stacks[index(root)].parent;
  const int outermost = trace.stacks[index(root)].function;
  if (trace.functions[index(outermost)].source != source) return {};
  std::set<int> calling;
  for (const Stack& stack : trace.stacks) {
    if (stack.parent == root && stack.call >= 0) calling.insert(stack.call);
  }
  if (calling.empty()) return {};
  std::vector<OuterStatement> statements;
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const Site& site = trace.sites[i];
    if (site.function == outermost) statements.push_back({site.span, calling.contains(static_cast<int>(i))});
  }
  std::ranges::stable_sort(statements, {}, [](const OuterStatement& each) { return each.span.line; });
  int end = 0;  // of those before
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const TextSpan& span = statements[i].span;
    const bool alone =
        span.line > end && (i + 1 == statements.size() || statements[i + 1].span.line > span.end_line);
    statements[i].call = statements[i].call && alone;
    end = std::max(end, span.end_line);
  }
  if (std::ranges::none_of(statements, &OuterStatement::call)) return {};
  return statements;
}

}  // namespace lectern
