#include "check/align_steps.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "trace/activations.h"
#include "trace/align.h"

namespace lectern {
namespace {

class Walk {
 public:
  Walk(const Trace& old_trace, const Trace& new_trace, const SiteAlignment& sites)
      : old_(old_trace),
        new_(new_trace),
        sites_(sites),
        old_activations_(activations(old_trace)),
        new_activations_(activations(new_trace)) {
    result_.new_step.assign(old_.steps.size(), -1);
    result_.old_step.assign(new_.steps.size(), -1);
    result_.old_inside.assign(old_.steps.size(), true);
    result_.new_inside.assign(new_.steps.size(), true);
  }

  StepAlignment all() {
    std::vector<std::pair<int, int>> open{{0, 0}};  // no recursion: lectures recurse deeply
    while (!open.empty()) {
      const auto [old_number, new_number] = open.back();
      open.pop_back();
      const Activation& old_activation = old_activations_[index(old_number)];
      const Activation& new_activation = new_activations_[index(new_number)];
      align_own_steps(old_activation, new_activation);
      show_calls(old_activation, result_.new_step, old_activations_, result_.old_inside);
      show_calls(new_activation, result_.old_step, new_activations_, result_.new_inside);
      for (const auto& [old_call, new_call] :
           align(call_keys(old_activation, true), call_keys(new_activation, false))) {
        open.emplace_back(old_activation.calls[index(old_call)].activation,
                          new_activation.calls[index(new_call)].activation);
      }
    }
    return std::move(result_);
  }

 private:
  void align_own_steps(const Activation& old_activation, const Activation& new_activation) {
    auto matches = align_shortest(statement_keys(old_, old_activation, true),
                                  statement_keys(new_, new_activation, false));
    if (!matches)
      matches =
          align(execution_keys(old_, old_activation, true), execution_keys(new_, new_activation, false));
    std::unordered_set<int> old_told, new_told;  // second steps that the executions are compared with
    for (const auto& [old_at, new_at] : *matches) {
      const int old_step = old_activation.steps[index(old_at)],
                new_step = new_activation.steps[index(new_at)];
      result_.new_step[index(old_step)] = new_step;
      result_.old_step[index(new_step)] = old_step;
      const int old_second = second_step(old_, old_activation, old_at);
      const int new_second = second_step(new_, new_activation, new_at);
      if ((old_second >= 0) == (new_second >= 0)) continue;
      const bool both_call = makes_call(old_activation, old_step) && makes_call(new_activation, new_step);
      result_.second[new_step] = {old_second, new_second, both_call};
      old_told.insert(old_second);
      new_told.insert(new_second);
    }
    find_returns(old_, old_activation, result_.new_step, old_told, result_.old_returns);
    find_returns(new_, new_activation, result_.old_step, new_told, result_.new_returns);
  }

  /// Adds the returns without a counterpart to executions that have one, but for those that are told.
  static void find_returns(const Trace& trace, const Activation& activation,
                           const std::vector<int>& counterpart, const std::unordered_set<int>& told,
                           std::unordered_set<int>& returns) {
    int first = -1;  // step of the execution
    for (const int number : activation.steps) {
      const Step& step = trace.steps[index(number)];
      if (!step.after || first < 0 || trace.steps[index(first)].site != step.site) first = number;
      if (!step.after || counterpart[index(number)] >= 0 || told.contains(number)) continue;
      if (first == number || counterpart[index(first)] >= 0) returns.insert(number);
    }
  }

  static bool makes_call(const Activation& activation, int step) {
    return std::ranges::binary_search(activation.calls, step, {}, &Activation::Call::step);
  }

  /// The second step of the execution whose first step is at this place; -1: none.
  static int second_step(const Trace& trace, const Activation& activation, int place) {
    if (index(place) + 1 >= activation.steps.size()) return -1;
    const int next = activation.steps[index(place) + 1];
    const Step &first = trace.steps[index(activation.steps[index(place)])],
               &second = trace.steps[index(next)];
    return !first.after && second.after && second.site == first.site ? next : -1;
  }

  /// What a call did is news of its own unless the step that called has no counterpart.
  static void show_calls(const Activation& caller, const std::vector<int>& counterpart,
                         const std::vector<Activation>& activations, std::vector<bool>& inside) {
    for (const auto& [step, number] : caller.calls) {
      if (step >= 0 && counterpart[index(step)] < 0) continue;
      for (const int inner : activations[index(number)].steps) inside[index(inner)] = false;
    }
  }

  /// A key for each step of an activation: the statement, as the new trace numbers it.
  Keys statement_keys(const Trace& trace, const Activation& activation, bool is_old) const {
    Keys keys;
    keys.reserve(activation.steps.size());
    for (const int number : activation.steps) {
      const Step& step = trace.steps[index(number)];
      keys.push_back((site_key(step.site, is_old) << 1U) | (step.after ? 1U : 0U));
    }
    return keys;
  }

  /// The same with the number of the execution, so that a key seldom occurs twice.
  Keys execution_keys(const Trace& trace, const Activation& activation, bool is_old) const {
    std::unordered_map<int, std::uint64_t> executions;
    Keys keys;
    keys.reserve(activation.steps.size());
    for (const int number : activation.steps) {
      const Step& step = trace.steps[index(number)];
      std::uint64_t& execution = executions[step.site];
      if (!step.after || execution == 0) ++execution;
      keys.push_back((site_key(step.site, is_old) << 33U) | (execution << 1U) | (step.after ? 1U : 0U));
    }
    return keys;
  }
  /// Sites without a counterpart get numbers that the other side does not use.
  std::uint64_t site_key(int site, bool is_old) const {
    const int counterpart = is_old ? sites_.new_site[index(site)] : site;
    return counterpart >= 0 ? index(counterpart) : new_.sites.size() + index(site);
  }

  /// A key for each call of an activation: the step that made it, as the new trace numbers it, and the
  /// function.
  Keys call_keys(const Activation& activation, bool is_old) const {
    Keys keys;
    keys.reserve(activation.calls.size());
    for (const auto& [step, number] : activation.calls) {
      const int caller = step >= 0 && is_old ? result_.new_step[index(step)] : step;
      const int function =
          is_old ? old_activations_[index(number)].function : new_activations_[index(number)].function;
      const int counterpart = is_old ? sites_.new_function[index(function)] : function;
      const bool unmatched = counterpart < 0 || (step >= 0 && caller < 0);
      keys.push_back(unmatched ? kNone - keys.size()
                               : (static_cast<std::uint64_t>(caller + 1) << 32U) | index(counterpart));
    }
    return keys;
  }

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  const Trace& old_;
  const Trace& new_;
  const SiteAlignment& sites_;
  std::vector<Activation> old_activations_, new_activations_;
  StepAlignment result_;
};

}  // namespace

StepAlignment align_steps(const Trace& old_trace, const Trace& new_trace, const SiteAlignment& sites) {
  return Walk(old_trace, new_trace, sites).all();
}

}  // namespace lectern
