#include <lectern/exercise.h>

using namespace lectern;

using Pair = std::pair<int, int>;

/// The tokens with `joined` in place of each occurrence of the pair, from left to right.
std::vector<int> merge(const std::vector<int>& tokens, Pair pair, int joined) {
  not_written("one pass over the tokens that joins the pair");
}

void joins_each_occurrence() {
  text("## Each occurrence is joined");
  const std::vector<int> sea_shells = {115, 101, 97, 32, 115, 104, 101, 108, 108, 115};
  const std::vector<int> expected = {115, 101, 97, 32, 115, 104, 101, 256, 115};
  const std::vector<int> merged = merge(sea_shells, {108, 108}, 256);  // @inspect merged
  assert(merged == expected);
  assert(merge({1, 2, 1, 2, 1, 2}, {1, 2}, 3) == std::vector<int>({3, 3, 3}));
}

void takes_pairs_from_the_left() {
  text("## Pairs that overlap are taken from the left");
  assert(merge({7, 7, 7}, {7, 7}, 256) == std::vector<int>({256, 7}));
  assert(merge({7, 7, 7, 7}, {7, 7}, 256) == std::vector<int>({256, 256}));
}

void merges_follow_each_other() {
  text("## One after the other, they build longer tokens");
  const std::string line = "she sells sea shells";
  std::vector<int> tokens(line.begin(), line.end());
  const std::vector<Pair> pairs = {{' ', 's'}, {'e', 'l'}, {'l', 's'}, {257, 258}};
  int joined = 256;
  for (const Pair& pair : pairs) tokens = merge(tokens, pair, joined++);  // @inspect pair tokens
  assert(tokens.size() == 11);
  assert(tokens.back() == 259);
}

void leaves_the_rest_alone() {
  text("## All else stays");
  assert(merge({2, 1, 2}, {1, 1}, 256) == std::vector<int>({2, 1, 2}));
  assert(merge({1}, {1, 1}, 256) == std::vector<int>({1}));
  assert(merge({}, {1, 1}, 256).empty());
}

int main() {
  lecture({.title = "Exercise: a merge of byte-pair encoding", .date = "2026-11-28"});
  text(R"(
    Byte-pair encoding trains by merging, and encodes by merging. Write `merge`; `lectern build` tells which of the
    claims below hold. Those about overlapping pairs are where two programs most often differ.)");
  joins_each_occurrence();
  takes_pairs_from_the_left();
  merges_follow_each_other();
  leaves_the_rest_alone();
}
