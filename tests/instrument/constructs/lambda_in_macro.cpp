#include <cstdio>

#define CALL(f) ((f)())
#define PRINT(x) std::printf("%s: %d\n", #x, (x))

int main() {
  int n = CALL([] {
    int inner = 4;
    return inner + 1;
  });
  PRINT([] { return 7; }());
  std::printf("%d\n", n);
}
