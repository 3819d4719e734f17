#include <cstdio>

int main() {
  for (int i = 0; i < 4; ++i)
    if (i % 2 == 0) {
      if (i > 1) std::puts("even, large");
    } else
      std::puts("odd");
}
