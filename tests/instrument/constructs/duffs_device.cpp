#include <cstdio>

int main() {
  int n = 5, sent = 0;
  int rounds = (n + 1) / 2;
  switch (n % 2) {
    case 0:
      do {
        ++sent;
        [[fallthrough]];
        case 1: ++sent;
      } while (--rounds > 0);
  }
  std::printf("%d\n", sent);
}
