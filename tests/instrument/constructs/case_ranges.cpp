#include <cstdio>

#pragma GCC diagnostic ignored "-Wpedantic"

int size_of(int n) {
  switch (n) {
    case 0:
      return 0;
    case 1 ... 3:
      n = 10;
      break;
    case 'a' ... 'z':
      n = 20;
      [[fallthrough]];
    default:
      ++n;
  }
  return n;
}

int main() {
  std::printf("%d %d\n", size_of(2), 0);
  std::printf("%d\n", size_of('k'));
  std::printf("%d\n", size_of(7));
}
