#include <cstdio>

#include <type_traits>

constexpr int where() {
  if (std::is_constant_evaluated())
    return 1;
  return 2;
}

int main() {
  constexpr int there = where();
  std::printf("%d %d\n", there, where());
}
