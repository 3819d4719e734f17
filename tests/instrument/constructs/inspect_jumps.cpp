#include <cstdio>

int find(int wanted) {
  for (int i = 0;; ++i) {
    int square = i * i;
    if (square > wanted) return i;  // @inspect i square
    if (square == 1) continue;      // @inspect i
    if (i == 50) break;
  }
  return -1;
}

int main() {
  int got = find(5);  // @inspect got
  std::printf("%d\n", got);
  return got - 3;  // @inspect got
}
