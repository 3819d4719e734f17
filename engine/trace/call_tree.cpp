#include "trace/call_tree.h"

#include <map>
#include <utility>

#include "trace/activations.h"

namespace lectern {

std::vector<CallPath> call_tree(const Trace& trace, const CostAccount& account, int most_depth) {
  const std::vector<Activation> all = activations(trace);
  std::vector<CallPath> paths{{.calls = 1}};
  std::map<std::pair<int, int>, int> numbers;  // of caller's path and function
  std::vector<int> path_numbers(all.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int path = path_numbers[i];
    for (const int step : all[i].steps) paths[index(path)].total += account.steps[index(step)].self;
    for (const Activation::Call& call : all[i].calls) {
      const int function = all[index(call.activation)].function, depth = paths[index(path)].depth + 1;
      if (depth > most_depth) {
        path_numbers[index(call.activation)] = path;
        continue;
      }
      const auto [known, is_new] =
          numbers.try_emplace(std::pair(path, function), static_cast<int>(paths.size()));
      if (is_new) paths.push_back({.function = function, .caller = path, .depth = depth});
      ++paths[index(known->second)].calls;
      path_numbers[index(call.activation)] = known->second;
    }
  }
  for (std::size_t i = paths.size(); i-- > 1;) paths[index(paths[i].caller)].total += paths[i].total;
  return paths;
}

}  // namespace lectern
