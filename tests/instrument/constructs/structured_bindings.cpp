#include <cstdio>

#include <map>
#include <string>

struct Pair {
  int first;
  double second;
};

int main() {
  auto [a, b] = Pair{1, 2.5};
  const std::map<std::string, int> ages{{"Ada", 36}, {"Alan", 41}};
  for (const auto& [name, age] : ages) std::printf("%s %d\n", name.c_str(), age);
  int numbers[2] = {3, 4};
  auto& [x, y] = numbers;
  x += y;
  if (auto [at, fresh] = std::map<int, int>{}.emplace(1, 2); fresh) std::puts("new");
  std::printf("%d %.1f %d\n", a, b, numbers[0]);
}
