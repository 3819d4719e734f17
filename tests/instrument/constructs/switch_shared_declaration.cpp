#include <cstdio>

int main() {
  for (int n = 0; n < 3; ++n) {
    switch (int doubled = 2 * n; doubled) {
      int shared;
      case 0:
        shared = 5;
        std::printf("%d\n", shared);
        break;
      case 2: {
        int own = 7;
        std::printf("%d\n", own);
      } break;
      default:
        shared = doubled;
        std::printf("%d\n", shared);
    }
  }
}
