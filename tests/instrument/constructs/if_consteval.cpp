#include <cstdio>

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc++2b-extensions"
#else
#pragma GCC diagnostic ignored "-Wc++23-extensions"
#endif

constexpr int where(int n) {
  n += 1;
  if consteval {
    n += 10;
  } else {
    n += 20;
  }
  if !consteval { n *= 2; }
  return n;
}

int main() {
  constexpr int there = where(0);
  std::printf("%d %d\n", there, where(0));
}
