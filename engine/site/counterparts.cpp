#include "site/counterparts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/characters.h"
#include "trace/activations.h"
#include "trace/step_details.h"

namespace lectern {
namespace {

/// Whether two steps may be one: by texts, then by calls, then by variables. 0: nothing to tell it by.
using StepKeys = std::array<int, 3>;
enum KeyKind : std::uint8_t { kTexts, kCalls, kNames };

/// Numbers for texts, the same in both runs.
using KeyNumbers = std::unordered_map<std::string, int>;

int key_number(KeyNumbers& numbers, std::string text) {
  if (text.empty()) return 0;
  return numbers.try_emplace(std::move(text), static_cast<int>(numbers.size()) + 1).first->second;
}

/// What of a text is the same in two languages, and in two ways of writing Markdown.
void append_words(std::string& out, std::string_view text) {
  for (const char c : text) {
    if ((is_word(c) && c != '_') || static_cast<unsigned char>(c) >= 0x80) out += to_lower(c);
  }
}

/// As its class names it.
std::string_view inspected_member(std::string_view name) {
  for (const std::string_view object : {"self.", "this->"}) {
    if (name.starts_with(object)) name.remove_prefix(object.size());
  }
  return name;
}

std::string words_of(const std::vector<Rendering>& show) {
  std::string words;
  for (const Rendering& rendering : show) {
    std::visit(
        [&words]<typename Form>(const Form& form) {
          if constexpr (requires { form.markdown; }) append_words(words, form.markdown);
          if constexpr (std::is_same_v<Form, rendering::Verbatim>) append_words(words, form.text);
          if constexpr (requires { form.src; }) append_words(words, form.src);
          if constexpr (std::is_same_v<Form, rendering::Link>)
            append_words(words, form.title + form.url + form.function);
        },
        rendering.form);
  }
  return words;
}

/// A call of a function that has a counterpart, within the nearest such call around it.
struct PairedCall {
  int activation;
  int step;  ///< of the outer call, that made it; -1: before its first one
};

/// One of the two runs.
struct RunToPair {
  RunToPair(const Trace& run, const std::vector<int>& function_pairs, KeyNumbers& numbers)
      : trace(run),
        calls(activations(run)),
        pairs(calls.size(), -1),
        inner(calls.size()),
        left_out(calls.size()),
        keys(run.steps.size()),
        counterparts(run.steps.size(), -1) {
    std::vector<int> nearest(calls.size()), made_by(calls.size(), -1);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].function >= 0) pairs[i] = function_pairs[index(calls[i].function)];
      const bool paired = i == 0 || pairs[i] >= 0;
      if (paired && i > 0) inner[index(nearest[i])].push_back({static_cast<int>(i), made_by[i]});
      const int around = paired ? static_cast<int>(i) : nearest[i];
      for (const Activation::LeftOut& each : calls[i].left_out)
        left_out[index(around)].push_back(each.number);
      for (const Activation::Call& call : calls[i].calls) {
        nearest[index(call.activation)] = around;
        made_by[index(call.activation)] = paired ? call.step : made_by[i];
      }
      if (paired) read_keys(calls[i], numbers);
    }
    for (std::vector<int>& each : left_out) std::sort(each.begin(), each.end());
  }

  void read_keys(const Activation& call, KeyNumbers& numbers) {
    for (const int step : call.steps) {
      const StepDetails details = trace.steps[index(step)].details();
      keys[index(step)][kTexts] = key_number(numbers, words_of(details.show));
      std::string names;
      for (const auto& [name, value] : details.vars) append_words(names += ' ', inspected_member(name));
      keys[index(step)][kNames] = key_number(numbers, std::move(names));
    }
  }

  /// The calls within one, by the pair of their functions, each with its ordinal.
  using Ordinals = std::map<std::pair<int, std::int64_t>, PairedCall>;
  Ordinals ordinals(int outer, const std::vector<int>& function_pairs) const {
    Ordinals found;
    std::map<int, std::int64_t> begun;  // by pair
    auto gap = left_out[index(outer)].begin();
    for (const PairedCall& call : inner[index(outer)]) {
      const std::vector<int>& steps = calls[index(call.activation)].steps;
      for (; gap != left_out[index(outer)].end(); ++gap) {
        const LeftOut& passes = trace.left_out[index(*gap)];
        if (!steps.empty() && passes.before > index(steps.front())) break;
        for (const auto& [function, count] : passes.calls)
          begun[function_pairs[static_cast<std::size_t>(function)]] +=
              std::clamp<std::int64_t>(count, 0, 1 << 30);
      }
      const int pair = pairs[index(call.activation)];
      found.emplace(std::pair{pair, ++begun[pair]}, call);
    }
    return found;
  }

  /// Marks what began a call and, if there is one, the step after it.
  void mark_call(int outer, int step, int key) {
    if (step < 0 || keys[index(step)][kCalls] != 0) return;
    keys[index(step)][kCalls] = key;
    const std::vector<int>& steps = calls[index(outer)].steps;
    const auto next = std::upper_bound(steps.begin(), steps.end(), step);
    if (next != steps.end() && trace.steps[index(*next)].after) keys[index(*next)][kCalls] = key + 1;
  }

  const Trace& trace;
  std::vector<Activation> calls;
  std::vector<int> pairs;                      // of their functions, by call; -1: none
  std::vector<std::vector<PairedCall>> inner;  // by call, in their order
  std::vector<std::vector<int>> left_out;      // by call: what was not recorded in it
  std::vector<StepKeys> keys;                  // by step
  std::vector<int> counterparts;               // by step
};

/// Some consecutive steps of one call.
struct StepRange {
  const std::vector<int>* steps;
  std::size_t begin, end;

  std::size_t size() const { return end - begin; }
  int operator[](std::size_t i) const { return (*steps)[i]; }
};

using PlacePairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Of pairs with ascending first places as many as can be kept so that the second ones ascend, too.
PlacePairs longest_ascent(const PlacePairs& places) {
  std::vector<std::size_t> ends;  // by length: the pair that ends the ascent of that length, its second least
  std::vector<std::size_t> before(places.size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto at =
        std::lower_bound(ends.begin(), ends.end(), places[i].second,
                         [&](std::size_t end, std::size_t second) { return places[end].second < second; });
    if (at != ends.begin()) before[i] = *(at - 1);
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  PlacePairs ascent;
  for (std::size_t i = ends.empty() ? places.size() : ends.back(); i < places.size(); i = before[i])
    ascent.push_back(places[i]);
  std::reverse(ascent.begin(), ascent.end());
  return ascent;
}

class StepPairer {
 public:
  StepPairer(const Trace& first, const Trace& other, const FunctionCounterparts& functions)
      : functions_(functions),
        first_(first, functions.first, numbers_),
        other_(other, functions.other, numbers_) {}

  Counterparts run() {
    pair_calls(0, 0);
    pair_below();
    // What is called from elsewhere there.
    std::map<int, std::pair<std::vector<int>, std::vector<int>>> all;
    for (std::size_t i = 0; i < first_.calls.size(); ++i)
      all[first_.pairs[i]].first.push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < other_.calls.size(); ++i)
      all[other_.pairs[i]].second.push_back(static_cast<int>(i));
    for (const auto& [pair, calls] : all) {
      if (pair < 0 || met_.contains(pair)) continue;
      for (std::size_t i = 0; i < std::min(calls.first.size(), calls.second.size()); ++i)
        pair_calls(calls.first[i], calls.second[i]);
      pair_below();
    }
    return {std::move(first_.counterparts), std::move(other_.counterparts)};
  }

 private:
  void pair_calls(int call, int other) {
    met_.insert(first_.pairs[index(call)]);
    waiting_.emplace(call, other);
  }

  void pair_below() {
    for (; !waiting_.empty(); waiting_.pop()) {
      const auto [call, other] = waiting_.front();
      pair_inner(call, other);
      const std::vector<int>& steps = first_.calls[index(call)].steps;
      const std::vector<int>& others = other_.calls[index(other)].steps;
      align({&steps, 0, steps.size()}, {&others, 0, others.size()}, kTexts);
    }
  }

  /// The calls within two that correspond.
  void pair_inner(int outer, int other_outer) {
    RunToPair::Ordinals calls = first_.ordinals(outer, functions_.first);
    RunToPair::Ordinals others = other_.ordinals(other_outer, functions_.other);
    const auto pair = [&](const PairedCall& call, const PairedCall& other) {
      pair_calls(call.activation, other.activation);
      first_.mark_call(outer, call.step, call_key_);
      other_.mark_call(other_outer, other.step, call_key_);
      call_key_ += 2;
    };
    for (auto call = calls.begin(); call != calls.end();) {
      const auto other = others.find(call->first);
      if (other == others.end()) {
        ++call;
        continue;
      }
      pair(call->second, other->second);
      others.erase(other);
      call = calls.erase(call);
    }
    // Where what was left out misled the counting.
    for (const auto& [ordinal, call] : calls) {
      const auto other = others.lower_bound({ordinal.first, 0});
      if (other == others.end() || other->first.first != ordinal.first) continue;
      pair(call, other->second);
      others.erase(other);
    }
  }

  /// Of equal keys the n-th with the n-th, as far as all ascend.
  PlacePairs equal_places(const StepRange& steps, const StepRange& others, KeyKind kind) const {
    std::unordered_map<int, std::vector<std::size_t>> places;
    for (std::size_t i = others.begin; i < others.end; ++i) {
      if (const int key = other_.keys[index(others[i])][kind]; key != 0) places[key].push_back(i);
    }
    std::unordered_map<int, std::size_t> used;
    PlacePairs equal;
    for (std::size_t i = steps.begin; i < steps.end; ++i) {
      const int key = first_.keys[index(steps[i])][kind];
      if (key == 0) continue;
      const auto there = places.find(key);
      if (there == places.end()) continue;
      if (const std::size_t n = used[key]++; n < there->second.size())
        equal.emplace_back(i, there->second[n]);
    }
    return longest_ascent(equal);
  }

  void align(StepRange steps, StepRange others, std::size_t kind) {
    if (kind > kNames) return share(steps, others);
    PlacePairs places = equal_places(steps, others, static_cast<KeyKind>(kind));
    places.emplace_back(steps.end, others.end);
    for (const auto& [at, other] : places) {
      align({steps.steps, steps.begin, at}, {others.steps, others.begin, other}, kind + 1);
      if (at == steps.end) return;
      first_.counterparts[index(steps[at])] = others[other];
      other_.counterparts[index(others[other])] = steps[at];
      steps.begin = at + 1;
      others.begin = other + 1;
    }
  }

  /// By their shares; where there is nothing on the other side, with what is before it there.
  void share(const StepRange& steps, const StepRange& others) {
    const auto spread = [](const StepRange& from, const StepRange& to, std::vector<int>& counterparts) {
      if (to.steps->empty()) return;
      for (std::size_t i = from.begin; i < from.end; ++i) {
        const std::size_t at = to.size() > 0 ? to.begin + (i - from.begin) * to.size() / from.size()
                                             : std::max<std::size_t>(to.begin, 1) - 1;
        counterparts[index(from[i])] = to[at];
      }
    };
    spread(steps, others, first_.counterparts);
    spread(others, steps, other_.counterparts);
  }

  const FunctionCounterparts& functions_;
  KeyNumbers numbers_;
  RunToPair first_, other_;
  std::set<int> met_;  // pairs of functions with calls that correspond
  std::queue<std::pair<int, int>> waiting_;
  int call_key_ = 1;
};

}  // namespace

Counterparts step_counterparts(const Trace& first, const Trace& other,
                               const FunctionCounterparts& functions) {
  return StepPairer(first, other, functions).run();
}

}  // namespace lectern
