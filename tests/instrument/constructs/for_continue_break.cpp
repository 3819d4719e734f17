#include <cstdio>

int main() {
  for (int i = 0; i < 10; ++i) {
    if (i == 1) continue;
    if (i == 3) break;
    std::printf("%d\n", i);
  }
}
