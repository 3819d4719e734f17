#include "site/rank_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/fnv.h"
#include "trace/align.h"
#include "trace/identity.h"
#include "trace/ranks.h"

namespace lectern {
namespace {

/// A collective or a message, alike on all ranks that take part: which meeting of the processes it came
/// after, its group, its number there; of messages who sent it to whom, and the tag.
using MomentKey = std::tuple<int, std::int64_t, std::int64_t, int, int, int>;

std::vector<std::pair<MomentKey, int>> moments_of(const Trace& trace) {
  std::vector<std::pair<MomentKey, int>> moments;
  int meetings = 0;
  for (std::size_t step = 0; step < trace.steps.size(); ++step) {
    for (const Collective& call : collectives_of(trace.steps[step])) {
      if (call.name == "init_process_group") ++meetings;
      moments.emplace_back(MomentKey{meetings, call.group, call.sequence, call.from.value_or(-1),
                                     call.to.value_or(-1), call.tag},
                           static_cast<int>(step));
    }
  }
  return moments;
}

/// Steps of both at which both took part in the same, ascending in both.
Matches common_moments(const Trace& first, const Trace& other) {
  std::map<MomentKey, int> others;
  for (const auto& [key, step] : moments_of(other)) others.emplace(key, step);
  Matches common;
  for (const auto& [key, step] : moments_of(first)) {
    const auto found = others.find(key);
    if (found == others.end() || (!common.empty() && found->second < common.back().second)) continue;
    if (!common.empty() && common.back().first == step) {
      common.back().second = found->second;  // several in one step: the last
    } else {
      common.emplace_back(step, found->second);
    }
  }
  return common;
}

Keys statement_keys(const Trace& trace) {
  const std::vector<std::string> identities = site_identities(trace);
  Keys sites, keys;
  for (const std::string& identity : identities) sites.push_back(fnv1a_64(identity));
  for (const Step& step : trace.steps) keys.push_back(sites[index(step.site)] * 2 + (step.after ? 1 : 0));
  return keys;
}

/// Of the positions from `begin` to before `end`.
Keys part(const Keys& keys, int begin, int end) {
  return {keys.begin() + begin, keys.begin() + std::max(begin, end)};
}

}  // namespace

RankSteps rank_steps(const Trace& first, const Trace& other) {
  const Keys first_keys = statement_keys(first), other_keys = statement_keys(other);
  Matches moments = common_moments(first, other);
  moments.emplace_back(static_cast<int>(first_keys.size()), static_cast<int>(other_keys.size()));
  std::vector<int> counterparts(first_keys.size(), -1);
  int begin = 0, other_begin = 0;
  for (const auto& [step, other_step] : moments) {
    const Keys own = part(first_keys, begin, step), theirs = part(other_keys, other_begin, other_step);
    const std::optional<Matches> shortest = align_shortest(own, theirs);
    for (const auto& [at, their] : shortest ? *shortest : align(own, theirs))
      counterparts[index(begin + at)] = other_begin + their;
    if (step < static_cast<int>(counterparts.size())) counterparts[index(step)] = other_step;
    begin = step + 1;
    other_begin = other_step + 1;
  }
  RankSteps result;
  int last = -1;
  for (std::size_t step = 0; step < counterparts.size(); ++step) {
    if (counterparts[step] < 0) {
      result.alone.push_back(static_cast<int>(step));
    } else {
      last = counterparts[step];
    }
    result.steps.push_back(last);
  }
  return result;
}

}  // namespace lectern
