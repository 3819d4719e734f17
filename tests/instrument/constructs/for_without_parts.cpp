#include <cstdio>

int main() {
  int i = 0;
  for (;;) {
    if (++i > 2) break;
  }
  for (; i < 5;) ++i;
  for (int j = 0, k = 9; j < k; ++j, --k) i += k - j;
  std::printf("%d\n", i);
}
