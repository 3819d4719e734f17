#include <cstdio>

int take(int& n) {
  return n--;
}

int main() {
  int stock = 2;
  while (int got = take(stock)) {
    std::printf("%d\n", got);
    if (got == 1) continue;
    std::puts("on");
  }
}
