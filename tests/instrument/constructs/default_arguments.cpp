#include <cstdio>

int seed() { return 3; }
int grow(int n = seed(), int (*f)(int) = [](int k) { return k + 1; }) {
  return f(n);
}
struct Config {
  int size = [] { return 8; }();
  int (*step)(int) = [](int n) { return n * 2; };
};

int main() {
  Config config;
  std::printf("%d\n", grow());
  std::printf("%d\n", grow(5));
  std::printf("%d\n", config.step(config.size));
}
