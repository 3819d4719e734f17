#include <cstdio>

int find(const int* numbers, int wanted) {
  for (int i = 0; i < 3; ++i)
    if (numbers[i] == wanted) return i;
  return -1;
}

int main() {
  const int numbers[] = {4, 8, 15};
  std::printf("%d\n", find(numbers, 8));
  std::printf("%d\n", find(numbers, 9));
}
