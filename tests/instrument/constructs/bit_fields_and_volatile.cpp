#include <cstdio>

struct Flags {
  unsigned low : 3;
  unsigned high : 5;
};

int main() {
  Flags flags{1, 2};
  flags.low = 7;
  volatile int wait = 2;
  while (wait) wait = wait - 1;
  std::printf("%u %u\n", +flags.low, +flags.high);
}
