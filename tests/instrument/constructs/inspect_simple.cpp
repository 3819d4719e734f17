#include <cstdio>

int square(int n) { return n * n; }

int main() {
  int x = 1, y = 2;  // @inspect x, @inspect y
  x = 5;             // @inspect x square(y)
  int m[2] = {3, 4};  /* @inspect m[1] (x + y) */
  x += m[0];  // @clear y @inspect x
  const double ratio = x / 2.0;  // @full ratio @volatile ratio @tol rel=1e-3 ratio
  std::printf("%d %.1f %d\n", x, ratio, y);  // ask @someone or mail a@inspect.org
}
