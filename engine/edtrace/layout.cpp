#include "edtrace/layout.h"

#include <algorithm>
#include <utility>

#include "base/characters.h"
#include "trace/activations.h"
#include "trace/hidden_lines.h"

namespace lectern {
namespace {

using LineOfSource = std::pair<int, int>;  ///< source and line

LineOfSource line_of(const Trace& trace, const Site& site) {
  return {trace.functions[index(site.function)].source, site.span.line};
}

std::vector<Rendering> shown(const Step& step) {
  return step.text.find("\"show\"") == std::string::npos ? std::vector<Rendering>() : step.details().show;
}

/// Statements that showed notes and nothing else.
std::set<int> note_sites(const Trace& trace) {
  std::set<int> notes, others;
  for (const Step& step : trace.steps) {
    for (const Rendering& rendering : shown(step)) (is_note(rendering) ? notes : others).insert(step.site);
  }
  for (const int site : others) notes.erase(site);
  return notes;
}

/// The lines of hidden definitions and statements, and further lines of hooks where nothing else begins; for
/// viewers of 2025 all lines of speaker's notes.
std::set<LineOfSource> unseen_lines(const Trace& trace, EdtraceGeneration generation) {
  const bool later = generation == EdtraceGeneration::later;
  const std::set<int> notes = later ? std::set<int>() : note_sites(trace);
  const auto is_whole = [&](std::size_t site) {
    return trace.sites[site].hide || notes.contains(static_cast<int>(site));
  };
  std::set<LineOfSource> begins, hidden;  // where a statement begins that is seen
  for (std::size_t i = 0; i < trace.sources.size(); ++i) {
    const std::vector<bool> of_definitions = hidden_lines(trace.sources[i]);
    for (std::size_t at = 0; at < of_definitions.size(); ++at) {
      if (of_definitions[at]) hidden.emplace(static_cast<int>(i), static_cast<int>(at) + 1);
    }
  }
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    if (!is_whole(i)) begins.insert(line_of(trace, trace.sites[i]));
  }
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const Site& site = trace.sites[i];
    if (!is_whole(i) && site.kind != SiteKind::hook) continue;
    const auto [source, line] = line_of(trace, site);
    const auto size = static_cast<int>(trace.sources[index(source)].lines.size());
    for (int at = is_whole(i) ? line : line + 1; at <= std::min(site.span.end_line, size); ++at) {
      if (site.hide || !begins.contains({source, at})) hidden.emplace(source, at);
    }
  }
  return hidden;
}

/// The statements of one line, until one comes again or the activation goes to another line.
struct LinePass {
  LineOfSource place{-1, 0};
  std::set<int> sites = {};
  std::vector<std::size_t> shown = {};  ///< the steps that rendered something
};

/// What is known of a line.
struct Line {
  std::size_t last_step = 0;
  std::vector<std::size_t> shown = {};  ///< of its last pass that showed something
};

}  // namespace

bool is_note(const Rendering& rendering) {
  return rendering.as<rendering::Note>() != nullptr;
}

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
  for (const auto& [source, line] : unseen_lines(trace, generation)) {
    EdtraceFile& file = files[index(source)];
    file.hidden.insert(line + file.before);
    if (generation == EdtraceGeneration::of_2025) file.lines[index(line + file.before - 1)].clear();
  }
  return files;
}

std::map<std::size_t, std::vector<std::size_t>> repeated_steps(const Trace& trace) {
  std::map<LineOfSource, Line> lines;
  for (const Activation& activation : activations(trace)) {
    LinePass pass;
    for (const int number : activation.steps) {
      const std::size_t i = index(number);
      const Step& step = trace.steps[i];
      const Site& site = trace.sites[index(step.site)];
      const LineOfSource place = line_of(trace, site);
      if (pass.place != place || (!step.after && pass.sites.contains(step.site))) pass = {place};
      pass.sites.insert(step.site);
      Line& line = lines[place];
      line.last_step = std::max(line.last_step, i);
      if (site.hide || shown(step).empty()) continue;
      pass.shown.push_back(i);
      if (line.shown.empty() || line.shown.back() < i) line.shown = pass.shown;
    }
  }
  std::map<std::size_t, std::vector<std::size_t>> repeated;
  for (auto& [place, line] : lines) {
    if (!line.shown.empty() && line.shown.back() == line.last_step) line.shown.pop_back();
    if (!line.shown.empty()) repeated.emplace(line.last_step, std::move(line.shown));
  }
  return repeated;
}

}  // namespace lectern
