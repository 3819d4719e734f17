#include <cstdio>
#include <map>
#include <stdexcept>
#include <vector>

int twice(int n) { return 2 * n; }

template <typename T>
T sum_to(T n) {
  T sum = 0;
  for (T i = 0; i < n; ++i) {  // @stepover @inspect sum
    auto add = [&](T more) { sum += more; };
    add(twice(i));
  }
  return sum;
}

constexpr int factorial(int n) {
  int product = 1;
  // @stepover
  while (n > 1) product *= n--;
  return product;
}
static_assert(factorial(4) == 24);

int find(const std::vector<int>& numbers, int wanted) {
  // @stepover
  for (int at = 0; const int number : numbers) {
    if (number == wanted) return at;
    if (number < 0) throw std::runtime_error("negative");
    ++at;
  }
  return -1;
}

int leave_all() {
  int passes = 0;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {  // @stepover
      if (k == 1) continue;
      if (i == 2) goto out;
      if (k == 2) break;
      ++passes;
    }
    switch (i) {  // @stepover
      case 0: ++passes; [[fallthrough]];
      case 1: passes += twice(1); break;
      default: break;
    }
  }
out:
  // @stepover
  do {
    ++passes;
  } while (passes < 9);
  return passes;
}

int main() {
  int total = sum_to(3) + factorial(4);
  try {
    total += find({1, 2, 3}, 3);
    total += find({1, -2, 3}, 3);
  } catch (const std::runtime_error& error) {  // @stepover
    total += twice(1);
  }
  total += leave_all();
  const std::map<int, int> squares{{1, 1}, {2, 4}};
  for (const auto& [root, square] : squares) {  // @stepover
    total += twice(root) + square;
  }
  if (total > 3) {  // @stepover
    total -= twice(1);
  } else {
    total = 0;
  }
  if (total < 3) {
    total = 0;
  } else {  // @stepover
    total += twice(2);
    total += 1;
  }
  {  // @stepover @inspect total
    const int inner = twice(total);
    total += inner;
  }
  try {  // @stepover
    throw twice(4);
  } catch (int thrown) {
    total += thrown;
  }
  for (int i = 0; i < 2; ++i) total += twice(i);  // @stepover
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 2; ++k)  // @stepover
      total += twice(k);
  // @stepover
#pragma omp parallel for
  for (int i = 0; i < 2; ++i) total += twice(i);
#define EACH(i, n) for (int i = 0; i < (n); ++i)
  EACH(i, 2) {  // @inspect total
    total += i;
  }
  std::printf("%d\n", total);
}
