#include <cstdio>

int main() {
  int base = 10;
  auto add = [base](int n) { return base + n; };
  auto bump = [&base]() mutable -> int {
    ++base;
    return base;
  };
  auto generic = [](auto a, auto b) { return a + b; };
  auto typed = []<class T>(T a) { return a; };
  int (*const steps[])(int) = {[](int n) { return n + 1; }, [](int n) { return n - 1; }};
  const int now = [] { return 42; }();
  std::printf("%d\n", add(1));
  std::printf("%d\n", bump());
  std::printf("%d\n", generic(1, 2));
  std::printf("%d\n", typed(3));
  std::printf("%d\n", now);
  std::printf("%d\n", steps[0](4) + steps[1](4));
}
