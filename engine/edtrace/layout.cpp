#include "edtrace/layout.h"

#include <algorithm>
#include <utility>

#include "base/characters.h"
#include "trace/hidden_lines.h"
#include "trace/identity.h"

namespace lectern {
namespace {

using LineOfSource = std::pair<int, int>;  ///< source and line

LineOfSource first_line(const Trace& trace, const Site& site) {
  return {trace.functions[index(site.function)].source, site.span.line};
}

/// The lines of hidden definitions and statements, and further lines of hooks where nothing else begins.
std::set<LineOfSource> unseen_lines(const Trace& trace) {
  std::set<LineOfSource> begins, hidden;  // where a statement begins that is seen
  for (std::size_t i = 0; i < trace.sources.size(); ++i) {
    const std::vector<bool> lines = hidden_lines(trace.sources[i]);
    for (std::size_t at = 0; at < lines.size(); ++at) {
      if (lines[at]) hidden.emplace(static_cast<int>(i), static_cast<int>(at) + 1);
    }
  }
  for (const Site& site : trace.sites) {
    if (!site.hide) begins.insert(first_line(trace, site));
  }
  for (const Site& site : trace.sites) {
    if (!site.hide && site.kind != SiteKind::hook) continue;
    const auto [source, line] = first_line(trace, site);
    const auto size = static_cast<int>(trace.sources[index(source)].lines.size());
    for (int at = site.hide ? line : line + 1; at <= std::min(site.span.end_line, size); ++at) {
      if (site.hide || !begins.contains({source, at})) hidden.emplace(source, at);
    }
  }
  return hidden;
}

/// The steps at which a statement showed something last: two if it called something in between.
struct Shown {
  Pass pass{};
  std::vector<std::size_t> steps = {};
};

}  // namespace

std::vector<EdtraceFile> edtrace_files(const Trace& trace, EdtraceGeneration generation) {
  std::vector<EdtraceFile> files;
  int lines_so_far = 0;
  for (const SourceFile& source : trace.sources) {
    EdtraceFile& file = files.emplace_back();
    const bool blank = !source.lines.empty() && trim(source.lines.front()).empty();
    file.before = lines_so_far == 0 && blank ? 1 : lines_so_far;
    file.lines.resize(index(file.before));
    if (file.before > 0) file.lines.front() = "// Here no line of the lecture stands.";
    for (int line = 1; line <= file.before; ++line) file.hidden.insert(line);
    file.lines.insert(file.lines.end(), source.lines.begin(), source.lines.end());
    lines_so_far = static_cast<int>(file.lines.size());
  }
  for (const auto& [source, line] : unseen_lines(trace)) {
    EdtraceFile& file = files[index(source)];
    file.hidden.insert(line + file.before);
    if (generation == EdtraceGeneration::of_2025) file.lines[index(line + file.before - 1)].clear();
  }
  return files;
}

std::map<std::size_t, std::vector<std::size_t>> repeated_steps(const Trace& trace) {
  std::map<LineOfSource, std::size_t> last_steps;
  std::map<int, Shown> statements;  // by site
  const std::vector<Pass> pass = passes(trace);
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    const Site& site = trace.sites[index(step.site)];
    last_steps[first_line(trace, site)] = i;
    const bool may_show = !site.hide && step.text.find("\"show\":") != std::string::npos;
    if (!may_show || step.details().show.empty()) continue;
    Shown& shown = statements[step.site];
    if (shown.pass != pass[i]) shown = {pass[i]};
    shown.steps.push_back(i);
  }
  std::map<std::size_t, std::vector<std::size_t>> repeated;
  for (const auto& [site, shown] : statements) {
    const std::size_t last = last_steps.at(first_line(trace, trace.sites[index(site)]));
    for (const std::size_t step : shown.steps) {
      if (step != last) repeated[last].push_back(step);
    }
  }
  return repeated;
}

}  // namespace lectern
