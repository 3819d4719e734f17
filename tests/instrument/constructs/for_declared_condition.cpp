#include <cstdio>

int main() {
  int left = 3;
  for (int n = 0; int rest = left - n; ++n) {
    if (rest == 2) continue;
    std::printf("%d\n", rest);
  }
}
