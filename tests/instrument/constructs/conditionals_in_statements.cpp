#include <cstdio>

#if __has_include(<cstdio>) && defined(EOF)
#define WIDE 1
#endif

int add(int a, int b) { return a + b; }

int main() {
  int n = 1;
  int values[] = {
      add(1, 1),
#if WIDE
      add(2, 2),
#else
      3,
#endif
  };
  n += values[1];
  int sum = n +
#ifdef WIDE
            add(n, 1);
#else
            1;
#endif
  if (sum > 3
#ifdef WIDE
      && n > 0
#endif
  ) {
    sum = add(sum, 1);
  }
  std::printf("%d\n",
#ifdef WIDE
              add(sum, n)
#else
              n
#endif
  );
#if __has_include(<no_such_header>)
  n = 0;
#else
  n = add(n, 1);
#endif
#ifdef WIDE
  if (n > 100)
#endif
    n = 0;
  std::printf("%d\n", n);
}
