#include <cstdio>

int start() {
  std::puts("started");
  return 5;
}

int counter() {
  static int n = start();
  return n++;
}

int main() {
  counter();
  std::printf("%d\n", counter());
}
