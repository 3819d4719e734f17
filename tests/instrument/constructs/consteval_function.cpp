#include <cstdio>

consteval int always(int n) {
  return n + 1;
}

int main() {
  constexpr int two = always(1);
  std::printf("%d\n", two);
}
