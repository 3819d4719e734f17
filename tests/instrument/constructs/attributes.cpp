#include <cstdio>

[[nodiscard]] int answer() { return 42; }
[[noreturn]] void fail() { throw 1; }

int main() {
  [[maybe_unused]] int spare = 1;
  if (answer() == 42) [[likely]] {
    std::puts("yes");
  } else [[unlikely]] {
    fail();
  }
  for (int i = 0; i < 2; ++i) [[likely]]
    std::puts("loop");
  switch (spare) {
    [[likely]] case 1: std::puts("one"); break;
    default: break;
  }
}
