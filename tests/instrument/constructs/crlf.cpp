#include <cstdio>

int main() {
  int n = 1;
  if (n)
    std::printf("%d\n", n);  // @inspect n
}
