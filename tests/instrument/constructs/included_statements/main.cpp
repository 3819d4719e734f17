#include <cstdio>

// What a file that is included in a function does is one step, between those before and after it.
int twice(int n) {
  return 2 * n;
}

int main() {
  int a = 1;  // @inspect a
#include "body.inc"
  int b = a;
#define X(name, value) std::printf("%s %d\n", #name, value);
#include "table.def"  // @inspect b
#undef X
  std::printf("%d\n", b);
  return 0;
}
