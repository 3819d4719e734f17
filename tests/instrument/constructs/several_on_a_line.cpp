#include <cstdio>

int main() {
  int a = 1; int b = 2; a += b; std::printf("%d\n", a);
  if (a) { b = 1; } else { b = 2; } for (int i = 0; i < 2; ++i) { b += i; } std::printf("%d\n", b);
}
