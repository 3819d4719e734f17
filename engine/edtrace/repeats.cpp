#include "edtrace/repeats.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "trace/activations.h"

namespace lectern {
namespace {

using LineOfSource = std::pair<int, int>;  ///< source and line

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

bool shows(const Step& step, const Site& site) {
  return !site.hide && step.text.find("\"show\"") != std::string::npos && !step.details().show.empty();
}

}  // namespace

std::map<std::size_t, std::vector<std::size_t>> repeated_steps(const Trace& trace) {
  std::map<LineOfSource, Line> lines;
  for (const Activation& activation : activations(trace)) {
    LinePass pass;
    for (const int number : activation.steps) {
      const auto i = static_cast<std::size_t>(number);
      const Step& step = trace.steps[i];
      const Site& site = trace.sites[static_cast<std::size_t>(step.site)];
      const LineOfSource place(trace.functions[static_cast<std::size_t>(site.function)].source,
                               site.span.line);
      if (pass.place != place || (!step.after && pass.sites.contains(step.site))) pass = {place};
      pass.sites.insert(step.site);
      Line& line = lines[place];
      line.last_step = std::max(line.last_step, i);
      if (!shows(step, site)) continue;
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
