#include <cstdio>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

template <typename T>
T sum_to(T n) {
  T sum = 0;
  for (T i = 0; i < n; ++i) {  // @steps first 1 last 1
    if (i == 1) continue;
    sum += i;
  }
  return sum;
}

constexpr int factorial(int n) {
  int product = 1;
  // @steps last 1
  while (n > 1) product *= n--;
  return product;
}
static_assert(factorial(4) == 24);

int find(const std::vector<int>& numbers, int wanted) {
  // @steps first 2
  for (int at = 0; const int number : numbers) {
    if (number == wanted) return at;
    if (number < 0) throw std::runtime_error("negative");
    ++at;
  }
  return -1;
}

int labels(int n) {
  int sum = 0;
  switch (n) {
    case 0:
      // @steps first 1
      do ++sum;
      while (sum < 3);
      [[fallthrough]];
    case 1:
      for (;;) {  // @steps last 2
        if (++sum > 5) goto out;
      }
    default: break;
  }
again:
  while (sum > 0)  // @steps first 1
    if (--sum == 2) goto again;
out:
  return sum;
}

int main() {
  int total = sum_to(3) + factorial(4);
  total += find({1, 2, 3}, 3) + labels(0) + labels(2);
  try {
    find({1, -2}, 3);
  } catch (const std::runtime_error&) {
    ++total;
  }
  const std::map<int, int> squares{{1, 1}, {2, 4}};
  for (const auto& [root, square] : squares)  // @steps first 1 last 1 @inspect square
    for (int i = 0; i < 2; ++i)  // @steps first 1
      total += root;
  const auto count = [&](auto n) {
    while (n-- > 0) {  // @steps last 1
      ++total;
    }
  };
  count(2);
  for (int i = 0; i < 2; ++i);  // @steps first 1
  do {  // @steps last 1
    --total;
    if (total % 5 == 0) break;
  } while (true);
  while (const int left = total > 20 ? 1 : 0) total -= left;  // @steps first 1 last 1
  std::printf("%d\n", total);
}
