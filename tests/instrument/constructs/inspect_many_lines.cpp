#include <cstdio>

int sum(int a, int b) { return a + b; }

int main() {
  int total = sum(1,   // @inspect total
                  2);
  total = sum(
      // @inspect total
      total,
      4);
  /* @inspect total
   * @clear sum */
  total += 1;
  // @inspect total
  total += 2;

  total += 3; total += 4;  // @inspect total
  std::printf("%d\n", total);
}
