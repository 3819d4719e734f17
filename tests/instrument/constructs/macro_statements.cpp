#include <cstdio>

#define SHOW(x) std::printf("%s = %d\n", #x, x)
#define TWICE(statement) \
  do {                   \
    statement;           \
    statement;           \
  } while (0)
#define EACH(i, n) for (int i = 0; i < (n); ++i)
#define RETURN_IF(c, v) \
  if (c) return v

int f(int n) {
  RETURN_IF(n > 2, 1);
  return 0;
}

int main() {
  int a = 3;
  SHOW(a);
  TWICE(a += 2);
  SHOW(a + f(a));
  EACH(i, 2) { SHOW(i); }
  SHOW(f(1));
}
