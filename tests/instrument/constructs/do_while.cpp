#include <cstdio>

int main() {
  int n = 0;
  do
    n += 2;
  while (n < 5);
  do {
    if (n == 7) continue;
    --n;
  } while (n-- > 3);
  std::printf("%d\n", n);
}
