#include <cstdio>

int pick(bool c) { return c ? 1 : throw 2; }

int main() {
  int a = 1, b = 2;
  a = (b++, b + 1);
  a > b ? std::puts("more") : std::puts("less");
  try {
    a = pick(true), b = pick(false);
  } catch (int n) {
    std::printf("%d %d\n", n, a);
  }
}
