#include <cstdio>

struct Flags {
  unsigned low : 3;
  unsigned high : 5;
};

int main() {
  auto [a, b] = Flags{1, 2};  // @inspect a b
  Flags flags{3, 4};          // @inspect flags.low, flags.high
  flags.low = 5;              // @inspect flags.low
  std::printf("%u\n", flags.low + a + b);
}
