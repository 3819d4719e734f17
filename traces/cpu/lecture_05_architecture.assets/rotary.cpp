#include <lectern/exercise.h>

using namespace lectern;

/// The features of a head, one after the other: pair i is x[2 i] and x[2 i + 1].
using Features = std::vector<double>;

/// x with pair i turned by the angle position · base^(-2 i / k), where k is the number of features.
Features turned(const Features& x, double position, double base = 10'000) {
  not_written("the angle of each pair, and its two features turned by it");
}

/// The score of a query at position m and a key at position n.
double score(const Features& q, double m, const Features& k, double n) {
  const Features left = turned(q, m), right = turned(k, n);
  double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) sum += left[i] * right[i];
  return sum;
}

bool are_close(double a, double b) {
  return std::abs(a - b) < 1e-4;
}

void a_quarter_of_a_turn() {
  text("## One pair");
  text("The first pair turns by 1 for each position. After a quarter of a turn what was first is second.");
  const Features y = turned({1, 0}, M_PI / 2);  // @inspect y
  assert(are_close(y[0], 0) && are_close(y[1], 1));
  assert(turned({3, 4}, 0) == Features({3, 4}));
}

void slower_pairs() {
  text("## Slower pairs");
  text("With a base of 16, the second of two pairs turns by $16^{-1/2}$, a quarter of the first one's angle.");
  const Features y = turned({1, 0, 1, 0}, 2 * M_PI, 16);  // @inspect y
  assert(are_close(y[0], 1) && are_close(y[1], 0));
  assert(are_close(y[2], 0) && are_close(y[3], 1));
}

void only_distances_count() {
  text("## Distances");
  const Features q = {1, -2, 0.5, 3, 2, 1}, k = {0.3, 1, -1, 2, 0.1, -4};
  const double near = score(q, 7, k, 4), far = score(q, 1007, k, 1004);  // @inspect near far
  assert(are_close(near, far));
  assert(!are_close(near, score(q, 7, k, 3)));
}

void as_lecterns_own() {
  text("## Beside `rotary_embedding`");
  const Features x = {1, -2, 0.5, 3, 2, 1};
  const Tensor own = rotary_embedding(tensor(x).to(float32).view({1, 1, 1, 6}), rotary_table(8, 6).narrow(0, 5, 1));
  assert(own.flatten().allclose(tensor(turned(x, 5)).to(float32), 1e-4, 1e-4));
}

int main() {
  lecture({.title = "Exercise: rotary positions", .date = "2026-11-28"});
  text(R"(
    With $a = x_{2i}$, $b = x_{2i+1}$ and the angle $\alpha = m \cdot \text{base}^{-2i/k}$ of pair $i$ at position $m$:

    $$a' = a \cos\alpha - b \sin\alpha \qquad b' = a \sin\alpha + b \cos\alpha$$

    Write it in `turned`; `lectern build` tells which of the claims below hold.)");
  a_quarter_of_a_turn();
  slower_pairs();
  only_distances_count();
  as_lecterns_own();
}
