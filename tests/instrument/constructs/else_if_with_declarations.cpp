#include <cstdio>

int next() {
  static int n = 0;
  return ++n;
}

int main() {
  if (int a = next(); a > 5)
    std::printf("a %d\n", a);
  else if (int b = next(); b > 5)
    std::printf("b %d\n", b);
  else if (int c = next())
    std::printf("a %d b %d c %d\n", a, b, c);
  else
    std::puts("none");
}
