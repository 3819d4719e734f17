#include <cstdio>

int add(int a, int b) { return a + b; }
int twice(int n) { return add(n, n); }

int main() {
  std::printf("%d\n", add(twice(add(1, 2)), 3));
}
