#include <cstdio>

auto twice(auto value) {
  auto result = value;
  result += value;
  return result;
}

int main() {
  std::printf("%d\n", twice(4));
  std::printf("%.1f\n", twice(1.5));
}
