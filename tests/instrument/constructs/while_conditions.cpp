#include <cstdio>

bool more(int n) {
  return n < 3;
}

int main() {
  int n = 0;
  while (more(n)) ++n;
  while ((n = n - 1)) std::printf("%d\n", n);
  while (std::puts("tested"), n++ < 1) {
  }
}
