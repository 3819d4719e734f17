#include "site/outline.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "site/parts.h"

namespace lectern {

std::vector<Heading> lecture_outline(const Trace& trace, const RenderedSteps& steps) {
  constexpr int kDeepest = 3;
  std::vector<std::vector<std::size_t>> position(trace.sources.size());  // of the part, by source and line
  for (std::size_t i = 0; i < trace.sources.size(); ++i)
    position[i].resize(trace.sources[i].lines.size() + 1);
  const std::vector<PagePart> parts = page_parts(trace);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PagePart& part = parts[i];
    std::fill_n(position[index(part.source)].begin() + part.first, part.last - part.first + 1, i);
  }
  const auto source_place = [&](const TracedFunction& function, const TextSpan& span) {
    const std::vector<std::size_t>& lines = position[index(function.source)];
    const bool in_file = span.line >= 0 && index(span.line) < lines.size();
    return std::tuple(in_file ? lines[index(span.line)] : parts.size(), span.line, span.column);
  };
  const auto place = [&](int site) {
    const Site& at = trace.sites[index(site)];
    return source_place(trace.functions[index(at.function)], at.span);
  };
  std::vector<int> order(trace.sites.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return place(a) < place(b); });
  std::vector<Heading> outline;
  for (const int site : order) {
    if (trace.sites[index(site)].hide) continue;
    for (const Heading& heading : steps.sites[index(site)].headings) {
      if (heading.level <= kDeepest) outline.push_back(heading);
    }
  }
  if (!outline.empty()) {
    if (!steps.terms.empty()) outline.push_back({1, "terms", "Terms"});
    if (!steps.references.empty()) outline.push_back({1, "references", "References"});
    return outline;
  }
  std::vector<bool> ran(trace.functions.size());
  for (const int site : order) {
    if (steps.sites[index(site)].executed) ran[index(trace.sites[index(site)].function)] = true;
  }
  std::vector<TracedFunction> functions;
  for (std::size_t i = 0; i < ran.size(); ++i) {
    if (ran[i]) functions.push_back(trace.functions[i]);
  }
  std::stable_sort(functions.begin(), functions.end(), [&](const auto& a, const auto& b) {
    return source_place(a, a.span) < source_place(b, b.span);
  });
  for (const TracedFunction& function : functions) {
    outline.push_back({1, fmt::format("s{}-{}", function.source, function.span.line), function.name});
  }
  return outline;
}

}  // namespace lectern
