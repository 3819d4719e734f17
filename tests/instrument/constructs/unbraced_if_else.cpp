#include <cstdio>

int sign(int n) {
  if (n < 0)
    return -1;
  else if (n == 0)
    return 0;
  else
    return 1;
}

int main() {
  for (int n = -5; n < 10; n += 5)
    std::printf("%d\n", sign(n));
}
