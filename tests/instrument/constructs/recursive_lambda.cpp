#include <cstdio>

#include <functional>

int main() {
  std::function<int(int)> fib = [&](int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); };
  std::printf("%d\n", fib(3));
}
