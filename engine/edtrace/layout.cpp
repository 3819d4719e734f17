#include "edtrace/layout.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lectern {
namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\f\v") == std::string_view::npos;
}

/// Statements that showed notes and nothing else.
std::set<int> note_sites(const Trace& trace) {
  std::set<int> notes, others;
  for (const Step& step : trace.steps) {
    if (step.text.find("\"show\"") == std::string::npos) continue;
    for (const Rendering& rendering : step.details().show) {
      (is_note(rendering) ? notes : others).insert(step.site);
    }
  }
  for (const int site : others) notes.erase(site);
  return notes;
}

/// By source: the lines of hidden statements, and further lines of hooks where nothing else begins; for
/// viewers of 2025 all lines of speaker's notes.
std::vector<std::set<int>> hidden_lines(const Trace& trace, EdtraceGeneration generation) {
  std::set<int> notes;
  if (generation == EdtraceGeneration::of_2025) notes = note_sites(trace);
  const auto is_note_site = [&](const Site& site) {
    return notes.contains(static_cast<int>(&site - trace.sites.data()));
  };
  std::set<std::pair<int, int>> begins;  // sources and lines where a statement begins that is seen
  for (const Site& site : trace.sites) {
    if (!site.hide && !is_note_site(site))
      begins.emplace(trace.functions[index(site.function)].source, site.span.line);
  }
  std::vector<std::set<int>> hidden(trace.sources.size());
  for (const Site& site : trace.sites) {
    const bool whole = site.hide || is_note_site(site);
    if (!whole && site.kind != SiteKind::hook) continue;
    const int source = trace.functions[index(site.function)].source;
    const auto size = static_cast<int>(trace.sources[index(source)].lines.size());
    for (int line = site.span.line; line <= std::min(site.span.end_line, size); ++line) {
      const bool kept = begins.contains({source, line}) || (line == site.span.line && !whole);
      if (site.hide || !kept) hidden[index(source)].insert(line);
    }
  }
  return hidden;
}

/// The sources' numbers, that of the first step's first.
std::vector<std::size_t> order_of(const Trace& trace) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trace.sources.size(); ++i) order.push_back(i);
  if (trace.steps.empty()) return order;
  const Site& site = trace.sites[index(trace.steps.front().site)];
  const auto first = order.begin() + trace.functions[index(site.function)].source;
  std::rotate(order.begin(), first, first + 1);
  return order;
}

}  // namespace

bool is_note(const Rendering& rendering) {
  return rendering.as<rendering::Note>() != nullptr;
}

std::vector<EdtraceFile> edtrace_files(const Trace& trace, EdtraceGeneration generation) {
  const std::vector<std::set<int>> hidden = hidden_lines(trace, generation);
  std::vector<EdtraceFile> files(trace.sources.size());
  int lines_so_far = 0;
  for (const std::size_t number : order_of(trace)) {
    EdtraceFile& file = files[number];
    std::vector<std::string> lines = trace.sources[number].lines;
    if (generation == EdtraceGeneration::of_2025) {
      for (const int line : hidden[number]) lines[index(line - 1)].clear();
    }
    file.before = lines_so_far;
    if (file.before == 0 && !lines.empty() && is_blank(lines.front())) file.before = 1;
    file.lines.resize(index(file.before));
    if (file.before > 0) file.lines.front() = "// Here no line of the lecture stands.";
    file.lines.insert(file.lines.end(), lines.begin(), lines.end());
    if (generation == EdtraceGeneration::later) {
      for (int line = 1; line <= file.before; ++line) file.hidden.insert(line);
      for (const int line : hidden[number]) file.hidden.insert(line + file.before);
    }
    lines_so_far = static_cast<int>(file.lines.size());
  }
  return files;
}

}  // namespace lectern
