#pragma once

#include <vector>

#include "trace/trace.h"

namespace lectern {

/// What another rank of a run shows at each step of rank 0.
struct RankSteps {
  /// By step of rank 0, a step of the other rank; -1: it has not begun.
  std::vector<int> steps;
  /// Steps of rank 0 that the other one has no counterpart of: it stays at the last one.
  std::vector<int> alone;
};

/// A collective is at the same moment for all who take part, and so is a message for its two sides. Between
/// two such moments the ranks know nothing of each other: steps there correspond in which the same
/// statements ran, in the same order, by the fewest that have no counterpart.
RankSteps rank_steps(const Trace& first, const Trace& other);

}  // namespace lectern
