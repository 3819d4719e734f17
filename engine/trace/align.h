#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lectern {

using Keys = std::vector<std::uint64_t>;
using Matches = std::vector<std::pair<int, int>>;

/// Which elements of two sequences correspond: pairs of positions with equal keys, both ascending.
/// Patience diff: equal ends, then the keys that occur once in each sequence as landmarks, and recursively
/// between these; where there are no landmarks, the k-th occurrences of a key. O(n log n), but repeated keys
/// between landmarks cost a level each. Not always the longest possible list.
Matches align(const Keys& old_keys, const Keys& new_keys);

/// The same by the fewest insertions and removals (Myers' algorithm), so that an additional pass of an inner
/// loop leaves the other passes aligned. Nothing where that would take more than some 10^7 operations: for
/// sequences that have little in common.
std::optional<Matches> align_shortest(const Keys& old_keys, const Keys& new_keys);

}  // namespace lectern
