#include <cstdio>

int main() {
  int first = __LINE__; int second = __LINE__;
  if (first == second) std::printf("%d\n", __LINE__);
  std::printf("%d %d %s\n", first,
              __LINE__, __func__);
}
