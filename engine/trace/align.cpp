#include "trace/align.h"

#include <algorithm>
#include <unordered_map>

namespace lectern {
namespace {

struct Range {
  int old_begin, old_end, new_begin, new_end;
  bool empty() const { return old_begin == old_end || new_begin == new_end; }
};

/// The longest list of pairs (ascending in the first) that ascends in the second too.
Matches longest_ascending(const Matches& pairs) {
  std::vector<int> ends;      // ends[k]: the pair that ends the best list of k + 1 pairs
  std::vector<int> previous;  // of each pair, in its list
  for (int i = 0; i < static_cast<int>(pairs.size()); ++i) {
    const int position = pairs[static_cast<std::size_t>(i)].second;
    const auto at = std::lower_bound(ends.begin(), ends.end(), position, [&](int end, int wanted) {
      return pairs[static_cast<std::size_t>(end)].second < wanted;
    });
    previous.push_back(at == ends.begin() ? -1 : *(at - 1));
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  Matches list;
  for (int i = ends.empty() ? -1 : ends.back(); i >= 0; i = previous[static_cast<std::size_t>(i)])
    list.push_back(pairs[static_cast<std::size_t>(i)]);
  std::reverse(list.begin(), list.end());
  return list;
}

class Aligner {
 public:
  Aligner(const Keys& old_keys, const Keys& new_keys) : old_(old_keys), new_(new_keys) {}

  Matches all() {
    std::vector<Range> open{{0, static_cast<int>(old_.size()), 0, static_cast<int>(new_.size())}};
    while (!open.empty()) {
      Range range = open.back();
      open.pop_back();
      take_equal_ends(range);
      if (range.empty()) continue;
      const Matches landmarks = longest_ascending(occurrence_pairs(range, true));
      if (landmarks.empty()) {
        const Matches rest = longest_ascending(occurrence_pairs(range, false));
        matches_.insert(matches_.end(), rest.begin(), rest.end());
        continue;
      }
      Range gap = range;
      for (const auto& [old_at, new_at] : landmarks) {
        matches_.emplace_back(old_at, new_at);
        gap.old_end = old_at;
        gap.new_end = new_at;
        if (!gap.empty()) open.push_back(gap);
        gap = {old_at + 1, range.old_end, new_at + 1, range.new_end};
      }
      if (!gap.empty()) open.push_back(gap);
    }
    std::sort(matches_.begin(), matches_.end());
    return std::move(matches_);
  }

 private:
  std::uint64_t old_key(int position) const { return old_[static_cast<std::size_t>(position)]; }
  std::uint64_t new_key(int position) const { return new_[static_cast<std::size_t>(position)]; }

  void take_equal_ends(Range& range) {
    while (!range.empty() && old_key(range.old_begin) == new_key(range.new_begin))
      matches_.emplace_back(range.old_begin++, range.new_begin++);
    while (!range.empty() && old_key(range.old_end - 1) == new_key(range.new_end - 1))
      matches_.emplace_back(--range.old_end, --range.new_end);
  }

  /// Pairs the k-th occurrences of each key, or only the keys that occur once on each side.
  Matches occurrence_pairs(const Range& range, bool unique) const {
    std::unordered_map<std::uint64_t, std::vector<int>> places;
    for (int at = range.new_begin; at < range.new_end; ++at) places[new_key(at)].push_back(at);
    std::unordered_map<std::uint64_t, std::size_t> met;
    for (int at = range.old_begin; at < range.old_end; ++at) ++met[old_key(at)];
    std::unordered_map<std::uint64_t, std::size_t> used;
    Matches pairs;
    for (int at = range.old_begin; at < range.old_end; ++at) {
      const auto found = places.find(old_key(at));
      if (found == places.end()) continue;
      if (unique && (found->second.size() > 1 || met[old_key(at)] > 1)) continue;
      const std::size_t occurrence = used[old_key(at)]++;
      if (occurrence < found->second.size()) pairs.emplace_back(at, found->second[occurrence]);
    }
    return pairs;
  }

  const Keys& old_;
  const Keys& new_;
  Matches matches_;
};

}  // namespace

std::optional<Matches> align_shortest(const Keys& old_keys, const Keys& new_keys) {
  constexpr std::int64_t kMostSteps = 10'000'000, kMostEdits = 2'000;
  const auto old_size = static_cast<std::int64_t>(old_keys.size()),
             new_size = static_cast<std::int64_t>(new_keys.size());
  const std::int64_t most =
      std::min({old_size + new_size, kMostEdits, kMostSteps / (old_size + new_size + 1)});
  const auto same = [&](std::int64_t x, std::int64_t y) {
    return x < old_size && y < new_size &&
           old_keys[static_cast<std::size_t>(x)] == new_keys[static_cast<std::size_t>(y)];
  };
  // reached[d][k + d]: the furthest position in the old sequence on diagonal k (= x - y) after d edits.
  std::vector<std::vector<std::int64_t>> reached;
  const auto run_end = [&](std::int64_t edits, std::int64_t diagonal) {
    return reached[static_cast<std::size_t>(edits)][static_cast<std::size_t>(diagonal + edits)];
  };
  // Whether the last edit that leads to a diagonal is an insertion, not a removal.
  const auto inserts = [&](std::int64_t edits, std::int64_t diagonal) {
    return diagonal == -edits ||
           (diagonal != edits && run_end(edits - 1, diagonal - 1) < run_end(edits - 1, diagonal + 1));
  };
  const auto run_begin = [&](std::int64_t edits, std::int64_t diagonal) {
    return edits == 0                 ? 0
           : inserts(edits, diagonal) ? run_end(edits - 1, diagonal + 1)
                                      : run_end(edits - 1, diagonal - 1) + 1;
  };
  for (std::int64_t edits = 0; edits <= most; ++edits) {
    std::vector<std::int64_t>& row = reached.emplace_back(static_cast<std::size_t>(2 * edits + 1));
    for (std::int64_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
      std::int64_t x = run_begin(edits, diagonal);
      while (same(x, x - diagonal)) ++x;
      row[static_cast<std::size_t>(diagonal + edits)] = x;
      if (x < old_size || x - diagonal < new_size) continue;

      Matches matches;
      for (std::int64_t d = edits, k = diagonal, end = x;; --d) {
        const std::int64_t begin = run_begin(d, k);
        for (; end > begin; --end)
          matches.emplace_back(static_cast<int>(end - 1), static_cast<int>(end - 1 - k));
        if (d == 0) break;
        k += inserts(d, k) ? 1 : -1;
        end = run_end(d - 1, k);
      }
      std::reverse(matches.begin(), matches.end());
      return matches;
    }
  }
  return std::nullopt;
}

Matches align(const Keys& old_keys, const Keys& new_keys) {
  return Aligner(old_keys, new_keys).all();
}

}  // namespace lectern
