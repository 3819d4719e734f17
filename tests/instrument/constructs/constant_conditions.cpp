// Loops whose condition the compiler knows: it must go on knowing it.
#include <cstdio>

constexpr bool forever = true;

int first_above(int x, int limit) {
  while (true) {
    if (x > limit) return x;
    x += 2;
  }
}

int first_power(int limit) {
  int power = 1;
  while (forever) {
    power *= 2;
    if (power > limit) return power;
  }
}

int classify(int x) {
  int kind = 0;
  do {
    kind = 1;
    if (x < 3) break;
    kind = 2;
  } while (false);
  return kind;
}

int main() {
  std::printf("%d\n", first_above(1, 4));
  std::printf("%d\n", first_power(3));
  std::printf("%d\n", classify(5));
}
