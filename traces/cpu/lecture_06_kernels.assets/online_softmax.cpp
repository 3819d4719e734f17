#include <limits>

#include <lectern/exercise.h>

using namespace lectern;

constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// Of the numbers so far: the maximum, and the sum of exp(x - max).
struct Online {
  float max = kNothing;
  float sum = 0;
};

/// The pair of two parts of a row, from the pairs of both.
Online merged(const Online& a, const Online& b) {
  not_written("the larger maximum, and both sums for it");
}

Online of(float x) {
  return {x, 1};
}

Online of_all(const std::vector<float>& numbers) {
  Online row;
  for (const float number : numbers) row = merged(row, number == kNothing ? Online{} : of(number));
  return row;
}

bool is_close(float a, float b) {
  return std::abs(a - b) <= 1e-5F * std::abs(b);
}

void joins_two() {
  text("## Two pairs become one");
  const Online both = merged({1, 2}, {3, 4});  // @inspect both
  assert(both.max == 3);
  assert(is_close(both.sum, 2 * std::exp(-2.F) + 4));
  const Online turned = merged({3, 4}, {1, 2});
  assert(is_close(turned.sum, both.sum));
}

void bears_large_numbers() {
  text("## Large numbers do no harm");
  const Online row = of_all({1000, 999, 998});  // @inspect row
  assert(row.max == 1000);
  assert(is_close(row.sum, 1 + std::exp(-1.F) + std::exp(-2.F)));
}

void bears_masks() {
  text("## Nor does what is masked");
  const Online nothing = merged({}, {});  // @inspect nothing
  assert(nothing.max == kNothing);
  assert(nothing.sum == 0);
  const Online row = of_all({kNothing, 2, kNothing, 1});  // @inspect row
  assert(row.max == 2);
  assert(is_close(row.sum, 1 + std::exp(-1.F)));
}

int main() {
  lecture({.title = "Exercise: softmax in one pass", .date = "2026-11-28"});
  text(R"(
    Online softmax keeps a maximum and a sum, and joins those of two parts of a row. Write `merged`; `lectern build` tells
    which of the claims below hold.)");
  joins_two();
  bears_large_numbers();
  bears_masks();
}
