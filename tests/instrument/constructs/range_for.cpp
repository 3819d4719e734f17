#include <cstdio>

#include <vector>

std::vector<int> numbers() {
  return {1, 2};
}

int main() {
  int sum = 0;
  for (int n : numbers()) sum += n;
  const std::vector<int> more{3, 4};
  for (const int& n : more) {
    if (n == 3) continue;
    sum *= n;
  }
  std::printf("%d\n", sum);
}
