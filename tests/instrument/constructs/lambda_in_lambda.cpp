#include <cstdio>

int main() {
  auto outer = [](int a) {
    auto inner = [a](int b) { return a * b; };
    return inner(a + 1);
  };
  std::printf("%d\n", outer(4));
}
