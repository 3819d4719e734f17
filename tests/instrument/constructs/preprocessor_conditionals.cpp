#include <cstdio>

#define FAST 1

#if FAST
int speed() { return 2; }
#else
int speed() { return 1; }
#endif

int main() {
  int n = 0;
#if FAST
  n += speed();
#elif defined(SLOW)
  n -= 1;
#else
  n = 9;
#endif
#ifdef MISSING
  std::puts("missing");
#endif
  switch (n) {
#if FAST
    case 2: std::puts("two"); break;
#endif
    default: std::puts("other");
  }
  std::printf("%d\n", n);
}
