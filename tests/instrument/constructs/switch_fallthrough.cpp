#include <cstdio>

int grade(int n) {
  int points = 0;
  switch (n) {
    case 3:
      points += 100;
      [[fallthrough]];
    case 2: points += 10; [[fallthrough]];
    case 1:
    case 0:
      points += 1;
      break;
    default: return -1;
  }
  return points;
}

int main() {
  for (int n = 0; n < 5; ++n) std::printf("%d\n", grade(n));
}
