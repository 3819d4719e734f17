#include "site/final_badges.h"

#include <algorithm>

#include "trace/activations.h"

namespace lectern {
namespace {

/// For each site the innermost loop of its function around it; -1: none.
std::vector<int> loops_around(const Trace& trace) {
  std::vector<int> loops(trace.sites.size(), -1);
  std::map<int, std::vector<int>> open;  // by function, outermost first
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const Site& site = trace.sites[i];
    std::vector<int>& around = open[site.function];
    while (!around.empty() && static_cast<int>(i) - around.back() > trace.sites[index(around.back())].body)
      around.pop_back();
    if (!around.empty()) loops[i] = around.back();
    if (site.body > 0) around.push_back(static_cast<int>(i));
  }
  return loops;
}

class FinalBadges {
 public:
  explicit FinalBadges(const Trace& trace)
      : trace_(trace),
        loops_(loops_around(trace)),
        activations_(activations(trace)),
        callers_(activations_.size()),
        of_step_(trace.steps.size()) {
    for (std::size_t i = 0; i < activations_.size(); ++i) {
      for (const Activation::Call& call : activations_[i].calls)
        callers_[index(call.activation)] = static_cast<int>(i);
      add_steps(static_cast<int>(i));
    }
    choose_last_to_end();
    if (trace.steps.empty()) return;
    std::map<int, int> running;  // by function; the innermost is met first
    for (int at = of_step_.back(); at > 0; at = callers_[index(at)])
      running.emplace(activations_[index(at)].function, at);
    for (const auto& [function, activation] : running) shown_[function] = activation;
  }

  /// Whether what a step inspected stands beside its statement, unless a later step inspected more.
  bool shows(int step) const {
    const int site = trace_.steps[index(step)].site;
    const int activation = of_step_[index(step)];
    const auto shown = shown_.find(trace_.sites[index(site)].function);
    if (shown == shown_.end() || shown->second != activation) return false;
    for (int loop = loops_[index(site)]; loop >= 0; loop = loops_[index(loop)]) {
      const auto pass = passes_.find({activation, loop});
      if (pass != passes_.end() && step < pass->second) return false;
    }
    return true;
  }

 private:
  void add_steps(int activation) {
    int before = -1;
    for (const int step : activations_[index(activation)].steps) {
      of_step_[index(step)] = activation;
      const int loop = before < 0 ? -1 : trace_.steps[index(before)].site;
      const int inside = trace_.steps[index(step)].site - loop;
      if (loop >= 0 && inside > 0 && inside <= trace_.sites[index(loop)].body)
        passes_[{activation, loop}] = before;
      before = step;
    }
  }

  /// Of each function: one that is within another of it ends before that one does.
  void choose_last_to_end() {
    std::vector<int> running;  // outermost first; callers come before what they call
    std::map<int, int> counts;
    for (int i = 1; i < static_cast<int>(activations_.size()); ++i) {
      while (!running.empty() && running.back() != callers_[index(i)]) {
        --counts[activations_[index(running.back())].function];
        running.pop_back();
      }
      const int function = activations_[index(i)].function;
      if (counts[function]++ == 0) shown_[function] = i;
      running.push_back(i);
    }
  }

  const Trace& trace_;
  std::vector<int> loops_;
  std::vector<Activation> activations_;
  std::vector<int> callers_;                   // by activation
  std::vector<int> of_step_;                   // activations
  std::map<std::pair<int, int>, int> passes_;  // the step before the last pass, by activation and loop
  std::map<int, int> shown_;                   // activations, by function
};

}  // namespace

std::map<int, std::size_t> final_badges(const Trace& trace,
                                        const std::vector<std::pair<int, std::vector<Binding>>>& vars) {
  std::map<int, std::size_t> badges;
  if (vars.empty()) return badges;
  const FinalBadges final(trace);
  for (std::size_t i = 0; i < vars.size(); ++i) {
    if (final.shows(vars[i].first)) badges[trace.steps[index(vars[i].first)].site] = i;
  }
  return badges;
}

}  // namespace lectern
