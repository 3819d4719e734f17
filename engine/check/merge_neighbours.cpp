#include "check/merge_neighbours.h"

#include <algorithm>

#include <fmt/format.h>

namespace lectern {

std::vector<Difference> merge_neighbours(std::vector<Difference> items) {
  std::vector<Difference> merged;
  std::size_t statements = 0;
  int last_line = 0;
  std::string first_message;
  const auto finish = [&] {
    if (statements > 1)
      merged.back().message += fmt::format(" ({} statements, to line {})", statements, last_line);
    statements = 0;
  };
  for (Difference& item : items) {
    const bool continues = statements > 0 && item.subject == "statement" && item.kind == merged.back().kind &&
                           item.function == merged.back().function && item.message == first_message &&
                           main_place(item).line >= last_line;
    if (!continues) {
      if (!merged.empty()) finish();
      first_message = item.message;
      merged.push_back(std::move(item));
      statements = merged.back().subject == "statement" ? 1 : 0;
      last_line = main_place(merged.back()).line;
      continue;
    }
    ++statements;
    last_line = main_place(item).line;
    merged.back().steps += item.steps;
  }
  if (!merged.empty()) finish();
  std::stable_partition(merged.begin(), merged.end(),
                        [](const Difference& item) { return item.subject == "run"; });
  return merged;
}

}  // namespace lectern
