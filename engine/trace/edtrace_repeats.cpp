#include "trace/edtrace_repeats.h"

#include <set>
#include <string>
#include <utility>

namespace lectern {
namespace {

/// The statements of one line, until one comes again or the activation goes to another line.
struct Pass {
  std::pair<int, int> place{-1, 0};  ///< source and line
  std::set<int> sites;
  std::vector<std::size_t> shown;  ///< the steps that rendered something
};

/// What is known of a line.
struct Line {
  std::size_t last_step = 0;
  std::size_t showing = 0;  ///< its last pass that showed something
  bool shows = false;
};

}  // namespace

std::map<std::size_t, std::vector<std::size_t>> repeated_steps(const Trace& trace) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<Pass> passes;
  std::vector<std::size_t> activations;  // the pass that each is in
  std::map<std::pair<int, int>, Line> lines;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    const Site& site = trace.sites[static_cast<std::size_t>(step.site)];
    const std::pair place(trace.functions[static_cast<std::size_t>(site.function)].source, site.span.line);
    const auto depth = static_cast<std::size_t>(trace.stacks[static_cast<std::size_t>(step.stack)].depth);
    activations.resize(depth - static_cast<std::size_t>(step.enter), kNone);
    activations.resize(depth, kNone);
    std::size_t& current = activations.back();
    const bool again = current == kNone || passes[current].place != place ||
                       (!step.after && passes[current].sites.contains(step.site));
    if (again) {
      current = passes.size();
      passes.push_back({place, {}, {}});
    }
    passes[current].sites.insert(step.site);
    Line& line = lines[place];
    line.last_step = i;
    if (site.hide || step.rest.find("\"show\"") == std::string::npos) continue;
    if (!step.details().contains("show")) continue;
    passes[current].shown.push_back(i);
    line.showing = current;
    line.shows = true;
  }
  std::map<std::size_t, std::vector<std::size_t>> repeated;
  for (const auto& [place, line] : lines) {
    if (!line.shows) continue;
    std::vector<std::size_t> before = passes[line.showing].shown;
    if (before.back() == line.last_step) before.pop_back();
    if (!before.empty()) repeated.emplace(line.last_step, std::move(before));
  }
  return repeated;
}

}  // namespace lectern
