#include <cstdio>

int sum(int a, int b, int c) { return a + b + c; }

int main() {
  int total =
      sum(1,
          2,
          3);
  if (total > 1 &&
      total < 100)
    std::printf(
        "%d\n",
        total);
  while (total
         > 4)
    total -= sum(0,
                 1, 0);
  return total
         - 4;
}
