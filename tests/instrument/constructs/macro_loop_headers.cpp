#include <cstdio>

#define FOREVER for (;;)
#define REPEAT(n) for (int k = 0; k < (n); ++k)
#define COUNT(variable, limit) for (int variable = 0; variable < (limit); ++variable)
#define TRACE(x)

int main() {
  int n = 0;
  REPEAT(2) ++n;
  REPEAT(3) {
    if (n > 3) break;
    ++n;
  }
  COUNT(i, n) {
    n -= i;  // @inspect n
  }
  TRACE(n)
  std::printf("%d\n", n);
}
